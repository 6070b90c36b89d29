"""What of the data sets is on the page: kept in the address, and in the session where a redraw brings an older one."""

from __future__ import annotations

import streamlit as st

DATA_SET = "dataset"
"""Name of the query parameter that holds the key of the data set."""
QUESTION = "question"
"""Name of the query parameter that holds the id of the question that is being written."""


def shown(name: str) -> str | None:
    """What is on the page: as the address says, else what was last, as after a visit to another page."""
    value = st.query_params.get(name) or st.session_state.get(f"shown-{name}")
    if value is not None:
        show(name, value)
    return value


def show(name: str, value: str | None) -> None:
    """Put it on the page and into the address; None: take it off."""
    st.session_state[f"shown-{name}"] = value
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value
