"""A sweep under way: how far it is, pause and stop."""

from __future__ import annotations

import streamlit as st

from core.evaluation.runner import EvaluationJob
from core.ui.fixes.ticking import ticking
from core.ui.shell import address
from core.ui.shell.progress import TICK_SECONDS
from core.ui.shell.safe import literal


@ticking(TICK_SECONDS)
def watch(job: EvaluationJob, *, mine: bool) -> None:
    """How far it is; the whole page redraws when it has ended, or has an address."""
    share = job.pairs_done / job.pairs if job.pairs else job.indexing.share if job.indexing else 0.0
    st.progress(min(1.0, share), text=literal(job.message))
    if mine:
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Pause",
                key="sweep-pause",
                icon=":material/pause:",
                on_click=job.pause,
                disabled=job.pausing or job.evaluation is None,
                help="The questions under way are finished, so that nothing is paid twice.",
            )
            st.button("Stop now", key="sweep-stop", icon=":material/stop:", on_click=job.stop)
    st.caption("You may leave this page: the sweep goes on. What is done is kept.")
    if job.done or (job.id and not address.shown(address.SWEEP)):
        st.rerun()
