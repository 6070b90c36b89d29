"""Telling each browser, once, that documents which had been added to the demo are elsewhere now."""

from __future__ import annotations

import streamlit as st

from core.runs.workbench import Workbench
from core.ui.shell import session
from core.ui.shell.safe import literal

NOTHING = "moved-nothing"
"""Set where this session has nothing more to be told."""


def draw_moved(bench: Workbench) -> None:
    """Say what was moved where; it stays on the page until it is put away."""
    demo = session.demo(bench)
    if st.session_state.get(NOTHING) or not demo.done:
        return
    left = [one for one in bench.corpora.all() if one.moved_from and one.id not in session.told()]
    for corpus in left:
        with st.container(border=True, gap="small", key=f"moved-{corpus.id}"):
            st.markdown(
                f":material/drive_file_move: Documents that had been added to “{literal(corpus.moved_from)}” are in "
                f"the corpus “{literal(corpus.name)}” now. What comes with the app is as it was again."
            )
            st.button(
                "Understood", key=f"moved-told-{corpus.id}", on_click=session.note_told, args=(corpus.id,)
            )
    st.session_state[NOTHING] = not left
