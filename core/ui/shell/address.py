"""Query parameters: kept in the address of a page, so that a reload and a link keep them, and in the session, so that a
visit to another page does too.

The random id of a run, a comparison or an evaluation is all that protects it: anyone who has its address can read it.
"""

from __future__ import annotations

import streamlit as st

from core.ui.shell.scrolling import scroll_to

RUN = "run"
"""Name of the query parameter that holds the run on the page; so do those below."""
LIKE = "like"
"""The run whose question is to be compared."""
INDEXES = "indexes"
"""Ids of two corpora that are to be compared, with a full stop between them."""
RECORDING = "recording"
"""Id of the recording."""
COMPARISON = "comparison"
EVALUATION = "evaluation"
DATA_SET = "dataset"
"""Key of the data set."""
QUESTION = "question"
"""Id of the question that is being written."""
CLASS = "class"
CORPUS, DOCUMENT, CHUNK = "corpus", "document", "chunk"
"""Id of the corpus, id of the document, and number of the chunk in it, from 1."""


def read_param(name: str) -> str | None:
    """Return the value of a query parameter: that in the address, else the last one on this page; both keep it."""
    value = st.query_params.get(name) or st.session_state.get(f"shown-{name}")
    if value is not None:
        show(name, value)
    return value


def show(name: str, value: str | None) -> None:
    """Keep the value of a query parameter in the session and in the address (None: take it out of both), and have the
    browser go to the place of that name, which now shows something else."""
    scroll_to(name)
    st.session_state[f"shown-{name}"] = value
    write_param(name, value)


def write_param(name: str, value: str | None) -> None:
    """Put a value into the address only; None: take it out."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def forget(name: str, value: str) -> None:
    """Take this value, which is deleted, out of the session and out of the address."""
    if st.session_state.get(f"shown-{name}") == value:
        del st.session_state[f"shown-{name}"]
    if st.query_params.get(name) == value:
        del st.query_params[name]
