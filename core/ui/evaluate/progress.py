"""An evaluation while it goes on: how far it is, and what shows already."""

from __future__ import annotations

import time

import streamlit as st

from core.charts.evaluation_table import OVERVIEW, EvaluationTable, evaluation_table
from core.evaluation.plan import Evaluation
from core.evaluation.runner import EvaluationJob, evaluations_of
from core.runs.workbench import Workbench
from core.ui.evaluate.by_question import failed_runs
from core.ui.evaluate.cached_results import results_of
from core.ui.evaluate.results import draw_table
from core.ui.fixes.ticking import ticking
from core.ui.run.live import SECONDS_PER_RUN
from core.ui.shell import address, session
from core.ui.shell.safe import literal
from core.ui.shell.widgets import reading_aid

TICK_SECONDS = 0.7
LOOK_SECONDS = 5.0
"""How often others are asked how far they are."""
INTERIM_SHARE = 10
"""How much longer the interim table is shown than it took to compute."""
INTERIM = (
    "So far, over the questions that both have answered. It can still change: to stop when it looks good is to choose "
    "the answer."
)


def draw_live(bench: Workbench, job: EvaluationJob) -> None:
    """Draw again and again until it has ended; then the whole page redraws."""
    ticking(max(TICK_SECONDS, SECONDS_PER_RUN * bench.launcher.running))(_live)(bench, job)


def _live(bench: Workbench, job: EvaluationJob) -> None:
    new = not address.read_param(address.EVALUATION)
    ended = job.done  # asked first: what ends meanwhile is seen by the next tick
    if job.evaluation is None:
        _preparing(job)
    else:
        _running(bench, job)
    if ended or (new and job.id):
        st.rerun()


def _preparing(job: EvaluationJob) -> None:
    with st.container(border=True, key="evaluation-progress"):
        progress = job.indexing
        st.progress(progress.share if progress else 0.0, text=literal(job.message))
        st.caption("The documents are indexed once for each data set; later evaluations use them again.")
        if job.owner == session.owner():
            st.button("Stop", key="evaluation-stop", icon=":material/stop:", on_click=job.stop)


def _running(bench: Workbench, job: EvaluationJob) -> None:
    tried = job.pairs_done + job.pairs_failed
    with st.container(border=True, key="evaluation-progress"):
        st.progress(min(1.0, tried / max(1, job.pairs)), text=literal(job.message))
        rate = job.rate
        words = (
            f"{rate:.1f} runs per second"
            if rate and rate >= 1
            else f"{60 * rate:.0f} runs per minute"
            if rate
            else ""
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if job.owner == session.owner():
                st.button(
                    "Pause",
                    key="evaluation-pause",
                    icon=":material/pause:",
                    on_click=job.pause,
                    disabled=job.pausing,
                    help="Runs under way are finished, so that nothing is paid twice.",
                )
            st.caption(words or "The first runs are under way")
    table = _interim(bench, job)
    if table and any(cell for row in table.rows for cell in row.cells):
        st.markdown("### Interim differences")
        draw_table(table, results_of(bench, job.id, recompute=False).look, f"interim-{job.id}")
        reading_aid(INTERIM)
    if job.pairs_failed:
        failed_runs(results_of(bench, job.id, recompute=False))


def _interim(bench: Workbench, job: EvaluationJob) -> EvaluationTable | None:
    """Computed again when something was done, and seldom enough to leave the runs their time."""
    table: EvaluationTable | None
    until, count, table = st.session_state.get(f"interim-{job.id}", (0.0, 0, None))
    if job.pairs_done != count and time.monotonic() > until:
        start = time.monotonic()
        found = results_of(bench, job.id, recompute=False)
        keys = [
            key for key in OVERVIEW if any(key in one for by in found.scores.values() for one in by.values())
        ]
        spec = found.evaluation.spec
        table = (
            evaluation_table(
                found.scores, spec.baseline, keys, looks=spec.looks, in_order=spec.sweep is not None
            )
            if keys
            else None
        )
        took = time.monotonic() - start
        until = time.monotonic() + INTERIM_SHARE * took
        st.session_state[f"interim-{job.id}"] = (until, job.pairs_done, table)
    return table


def draw_elsewhere(bench: Workbench, evaluation: Evaluation) -> None:
    """Another process is at it; the page looks now and then how far it is."""
    ticking(LOOK_SECONDS)(_elsewhere)(bench, evaluation)


def _elsewhere(bench: Workbench, evaluation: Evaluation) -> None:
    store = evaluations_of(bench).store
    done, failed = store.counts([evaluation.id])[evaluation.id]
    st.progress((done + failed) / max(1, evaluation.total), text=f"{done:,} of {evaluation.total:,} done")
    st.info(
        "Another process is working on this evaluation, or was until a moment ago. If it was killed, it can be "
        "continued here within half a minute.",
        icon=":material/sync:",
    )
    if store.get(evaluation.id).state != "running":
        st.rerun()
