"""The part of the models' dialog in which an open model is fetched; nothing is asked of anybody before a click."""

from __future__ import annotations

from concurrent.futures import CancelledError

import streamlit as st

from core.errors import LoupeError
from core.models.reach.downloads import Download
from core.models.reach.fetching import is_there, part_of
from core.models.reach.recommended import RECOMMENDED, Recommended
from core.runs.workbench import Workbench
from core.ui.fixes.ticking import ticking
from core.ui.shell import session
from core.ui.shell.safe import literal
from core.wording import file_size

TICK_SECONDS = 0.5
UNEXPECTED = "This ended with an unexpected error; the server's log says more. What has come is kept."


def fetch_models(bench: Workbench) -> None:
    """Open models that are not here, each with a button; nothing for whom none may be fetched.

    One that has come is listed by the dialog as a file of this machine, and no longer here.
    """
    downloads, user = bench.backends.downloads, session.user(bench)
    if not user.teacher:
        return
    missing = [model for model in RECOMMENDED if not is_there(model, downloads.folder)]
    if not missing:
        return
    jobs = [job for model in missing if (job := downloads.job(model))]
    with st.expander(
        "Fetch an open model",
        key="fetch-models",
        icon=":material/download:",
        expanded=any(not job.done or job.error() for job in jobs),
    ):
        st.caption(
            "Free to use, and once fetched they run on this machine without a network. They come from Hugging Face, "
            "which then knows this machine's address; no question or document is sent."
        )
        for model in missing:
            _model(bench, model, downloads.job(model))


def _model(bench: Workbench, model: Recommended, job: Download | None) -> None:
    with st.container(border=True, key=f"fetch-row-{model.name}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            with st.container(gap=None):
                st.markdown(f"**{literal(model.title)}**")
                st.caption(
                    f"{literal(model.says)} {file_size(model.bytes)} to fetch, {model.memory:.1f} GB of memory, "
                    f"licence {literal(model.licence)}."
                )
            if job is None or job.done:
                begun = part_of(model, bench.backends.downloads.folder).exists()
                st.button(
                    "Go on" if begun else "Fetch",
                    key=f"fetch-{model.name}",
                    width=90,
                    on_click=_start,
                    args=(bench, model),
                )
        if job is not None and not job.done:
            _watch(bench, job)
        elif job is not None:
            _ended(job)


def _start(bench: Workbench, model: Recommended) -> None:
    bench.backends.downloads.start(model, session.user(bench))


@ticking(TICK_SECONDS)
def _watch(bench: Workbench, job: Download) -> None:
    """How far it is, with a Stop button; the whole page redraws when it has ended."""
    ended = job.done  # asked first: what ends meanwhile is seen by the next tick
    st.progress(min(1.0, job.share), text=literal(job.message))
    st.button(
        "Stop",
        key=f"fetch-stop-{job.model.name}",
        icon=":material/stop:",
        disabled=job.stopping,
        on_click=bench.backends.downloads.stop,
        args=(job.model, session.user(bench)),
    )
    if ended:
        st.rerun()


def _ended(job: Download) -> None:
    """Why it is not here."""
    if error := job.error():
        st.caption(f":red[{literal(str(error)) if isinstance(error, LoupeError) else UNEXPECTED}]")
        return
    try:
        job.result()
    except CancelledError:
        st.caption(f"Stopped at {file_size(job.progress.bytes)}. What has come is kept.")
