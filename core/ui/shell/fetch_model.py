"""The part of the models' dialog in which an open model is fetched; nothing is asked of anybody before a click."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.models.reach.fetching import Download, is_there, part_of
from core.models.reach.recommended import RECOMMENDED, Recommended
from core.runs.workbench import Workbench
from core.ui.fixes.ticking import ticking
from core.ui.shell import session
from core.ui.shell.progress import result_of
from core.ui.shell.safe import literal
from core.wording import file_size

TICK_SECONDS = 0.5
KEPT = "The part that was downloaded is kept."


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
        running = [job for job in jobs if not job.done]
        draw = ticking(TICK_SECONDS)(_models_to_fetch) if running else _models_to_fetch
        draw(bench, missing, running)


def _models_to_fetch(bench: Workbench, missing: Sequence[Recommended], watched: Sequence[Download]) -> None:
    """Each model that is missing; the whole page redraws when one of the downloads has ended that were under way when
    this was first drawn (`watched`)."""
    downloads = bench.backends.downloads
    # Asked first: what ends meanwhile is seen by the next tick.
    ended = any(job.done for job in watched) or any(is_there(model, downloads.folder) for model in missing)
    for model in missing:
        _model(bench, model, downloads.job(model))
    if ended:
        st.rerun()


def _model(bench: Workbench, model: Recommended, job: Download | None) -> None:
    running = job is not None and not job.done
    with st.container(border=True, key=f"fetch-row-{model.name}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            with st.container(gap=None):
                st.markdown(f"**{literal(model.title)}**")
                st.caption(
                    f"{literal(model.says)} {file_size(model.bytes)} to fetch, {model.memory:.1f} GB of memory, "
                    f"licence {literal(model.licence)}."
                )
            if not running:
                begun = part_of(model, bench.backends.downloads.folder).exists()
                st.button(
                    "Go on" if begun else "Fetch",
                    key=f"fetch-{model.name}",
                    width=90,
                    on_click=_start,
                    args=(bench, model),
                )
        if job is None:
            return
        if not running:
            stopped = f"Stopped at {file_size(job.progress.bytes)}. {KEPT}"
            result_of(job, f"{model.title} could not be fetched", stopped, KEPT)
            return
        st.progress(min(1.0, job.share), text=literal(job.message))
        st.button(
            "Stop",
            key=f"fetch-stop-{model.name}",
            icon=":material/stop:",
            disabled=job.stopping,
            on_click=bench.backends.downloads.stop,
            args=(model, session.user(bench)),
        )


def _start(bench: Workbench, model: Recommended) -> None:
    bench.backends.downloads.start(model, session.user(bench))
