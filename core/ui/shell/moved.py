"""Telling each browser, once, where documents are now that had been in a corpus with the name of the demo."""

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
                f":material/drive_file_move: What you had in “{literal(corpus.moved_from)}” is in the corpus "
                f"“{literal(corpus.name)}” now: a corpus with that name came with the app."
            )
            st.button(
                "Understood", key=f"moved-told-{corpus.id}", on_click=session.note_told, args=(corpus.id,)
            )
    st.session_state[NOTHING] = not left
