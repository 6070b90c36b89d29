"""The pages and how one gets to them."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

_MARK = "navigated"


def navigation() -> StreamlitPage:
    """Declare the pages; the one to run. `url_path` equals the file name, see `ensure`."""
    # No icon on a page: the browser would fetch a picture of it from a font host.
    page = st.navigation(
        [
            st.Page("pages/playground.py", title="Playground", url_path="playground", default=True),
            st.Page("pages/documents.py", title="Documents", url_path="documents"),
        ]
    )
    st.session_state[_MARK] = True
    return page


def ensure() -> None:
    """First line of every page.

    On a fresh process the first visit to a page's own address runs its file without `app.py`; then the
    navigation is declared here and the script starts again.
    """
    if _MARK not in st.session_state:
        navigation()
        st.rerun()
