"""A sweep under way: how far it is, pause and stop, and how it ended."""

from __future__ import annotations

from concurrent.futures import CancelledError

import streamlit as st

from core.errors import LoupeError
from core.evaluation.runner import EvaluationJob
from core.ui.progress import TICK_SECONDS
from core.ui.safe import literal
from core.ui.ticking import ticking

UNEXPECTED = "The sweep ended with an unexpected error; the server's log says more. What was done is kept."


@ticking(TICK_SECONDS)
def watch(job: EvaluationJob, *, mine: bool) -> None:
    """How far it is; the whole page redraws when it has ended, or has an address."""
    share = job.pairs_done / job.pairs if job.pairs else job.indexing.share if job.indexing else 0.0
    st.progress(min(1.0, share), text=literal(job.message))
    if mine:
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Pause", key="sweep-pause", icon=":material/pause:", on_click=job.pause,
                disabled=job.pausing or job.evaluation is None,
                help="The questions under way are finished, so that nothing is paid twice.",
            )  # fmt: skip
            st.button("Stop now", key="sweep-stop", icon=":material/stop:", on_click=job.stop)
    st.caption("You may leave this page: the sweep goes on. What is done is kept.")
    if job.done or (job.evaluation is not None and not st.session_state.get("shown-sweep")):
        st.rerun()


def ended(job: EvaluationJob) -> None:
    """Why it ended, where it did not come to its end."""
    if error := job.error():
        text = str(error) if isinstance(error, LoupeError) else UNEXPECTED
        st.error(literal(text), icon=":material/error:")
        return
    try:
        job.result()
    except CancelledError:
        st.warning("Stopped. What was done until then is kept.", icon=":material/stop:")
    else:
        if job.halted:
            st.warning(literal(job.halted), icon=":material/pause:")
