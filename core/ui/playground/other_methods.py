"""What of a run other methods did in the place of its model, and the offer to have the model do it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.runs.other_methods import left_sentence, left_to_others
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills.base import MODEL
from core.ui.forms.recorded import answering
from core.ui.playground.form import ask
from core.ui.shell import session
from core.ui.shell.safe import literal


def draw_left(bench: Workbench, shown: Record) -> None:
    """Say what other methods did in a run that has ended, and offer to ask the same with the model's own judgement."""
    left, started = left_to_others(shown), shown.started
    if not left or started is None or shown.under_way:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="other-methods"):
        st.caption(f":material/swap_horiz: {literal(left_sentence(shown), 600)}", width="stretch")
        if st.button(
            "Let the model do it",
            key="let-model",
            icon=":material/refresh:",
            help="Asks the same question again, and has the model do these tasks. Where its replies cannot be used, "
            "another method does them.",
        ):
            chat = answering(bench, started.strategy, started.corpus, started.graph).chat
            request = RunRequest.of(started, owner=session.owner(), chat=chat)
            ask(bench, replace(request, methods={**request.methods, **dict.fromkeys(left, MODEL)}))
            st.rerun()
