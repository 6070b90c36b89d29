"""The pages and how one gets to them."""

from __future__ import annotations

import threading
from contextlib import nullcontext

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from core.settings import get_settings
from core.ui.fixes.streamlit_patches import check_origins, keep_order, keep_theme, reread_values
from core.ui.shell.host import check_host
from core.ui.shell.login import session_person, sign_in

_LOUPE = (
    '<g fill="none" stroke="#3D8FD1" stroke-width="4"><circle cx="15" cy="15" r="10"/>'
    '<path d="M22.5 22.5 32 32" stroke-linecap="round"/></g>'
)
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="170" height="36" viewBox="0 0 170 36">'
    f'{_LOUPE}<text x="42" y="25" font-family="system-ui, sans-serif" font-size="21" font-weight="700" fill="#3D8FD1">'
    "RAG Loupe</text></svg>"
)
ICON = f'<svg xmlns="http://www.w3.org/2000/svg" width="36" height="36" viewBox="0 0 36 36">{_LOUPE}</svg>'
"""Of the browser's tab; its own picture, since a named icon would be fetched from a font host."""
SIDEBAR_PX = 232
"""Width at first; on a narrow page see `page.css`."""
_SHOWN = "client.showSidebarNavigation"
"""Option that is off at first: Streamlit would list the files of `pages/` until the pages are declared."""
_MARK = "navigated"
_PAGE = "page-shown"
_PAGES = "pages"
PAGES = {
    "playground": "Playground",
    "compare": "Compare",
    "evaluate": "Evaluate",
    "runs": "Runs",
    "documents": "Documents",
    "knowledge_graph": "Knowledge graph",
    "learn": "Learn",
    "classroom": "Class",
}
"""Title of each page, by its file's name."""


def navigation() -> StreamlitPage:
    """Configure and declare the pages; the one to run. `url_path` equals the file name, see `ensure`."""
    st.set_page_config(
        page_title="RAG Loupe", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR_PX
    )
    if _MARK not in st.session_state:  # a session keeps the name under which it was asked for
        check_host()
        keep_order()
        keep_theme()
        check_origins()
        reread_values()
    st.logo(LOGO, size="large")
    shut = get_settings().oidc_required and session_person() is None
    # No icon on a page: the browser would fetch a picture of it from a font host.
    if (
        _PAGES not in st.session_state
    ):  # to make them reads folders, during which all other threads take turns
        st.session_state[_PAGES] = [
            st.Page(f"pages/{name}.py", title=title, url_path=name, default=name == "playground")
            for name, title in PAGES.items()
        ]
    page = st.navigation(st.session_state[_PAGES], position="hidden" if shut else "sidebar")
    if shut:
        _sign_in()
    st.session_state[_MARK] = True
    if not st.get_option(_SHOWN):  # the first browser of this process
        st.set_option(_SHOWN, True)
        st.rerun()
    return page


def _sign_in() -> None:
    """Draw the way in, and end the script."""
    st.title("RAG Loupe")
    st.markdown("Sign in to use this app.")
    st.button("Sign in", key="sign-in", icon=":material/login:", type="primary", on_click=sign_in)
    st.stop()


def ensure(page: str) -> None:
    """First line of every page; `page` is its name.

    On a fresh process the first visit to a page's own address runs its file without `app.py`; then the
    navigation is declared here and the script starts again.
    """
    if _MARK not in st.session_state:
        navigation()
        st.rerun()
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        # Not before the first browser has its navigation: it brings what runs need, which takes seconds.
        with nullcontext() if FIRST_PAGE.is_set() else st.spinner("RAG Loupe is starting…", show_time=True):
            from core.ui.run import citations
        citations.close_all()


def leave_for(page: str) -> None:
    """Go on to another page, such as `pages/compare.py`, whose address begins anew."""
    # Without this argument Streamlit refuses to leave an address that a widget is bound to.
    st.switch_page(page, query_params={})


FIRST_PAGE = threading.Event()
"""Set when a page of this process was drawn to its end: importing what runs need would hold up its drawing."""
PATIENCE_SECONDS = 20.0
"""When a first page that was not drawn to its end, because it failed or was left, is waited for no longer."""
