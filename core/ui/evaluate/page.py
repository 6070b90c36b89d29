"""The page Evaluate: evaluations, and the data sets of their questions."""

from __future__ import annotations

import streamlit as st

from core.ui.evaluate import datasets, evaluations
from core.ui.shell import session
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import errors_shown

SECTIONS = {"Evaluations": evaluations.show, "Data sets": datasets.show}


@errors_shown()
def page() -> None:
    """Draw the section that is chosen."""
    bench = framed()
    session.demo(bench)
    st.header("Evaluate", anchor=False)
    st.markdown("Which strategy answers better? Many labelled questions instead of one picked by hand.")
    chosen = st.segmented_control(
        "Section",
        list(SECTIONS),
        default=next(iter(SECTIONS)),
        required=True,
        key="section",
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )
    SECTIONS[chosen](bench)
