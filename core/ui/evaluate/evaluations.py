"""Stored evaluations, a new evaluation, and the evaluation that is open: while it goes on, how far it is."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from core.cards.texts import named
from core.charts.evaluation_csv import questions_csv, summary_csv
from core.charts.evaluation_settings import with_titles
from core.charts.evaluation_table import OVERVIEW, EvaluationTable, evaluation_table
from core.errors import LoupeError
from core.evaluation.measures import present
from core.evaluation.plan import Evaluation
from core.evaluation.runner import EvaluationJob, evaluations_of
from core.evaluation.sweep_results import sweepable
from core.evaluation.sweeps import parameters, recomputable, sweep_of, with_value
from core.report import evaluation_report
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate.by_question import failed_runs
from core.ui.evaluate.cached_results import EvaluationResults, OtherValues, results_of
from core.ui.evaluate.form import new_evaluation
from core.ui.evaluate.jobs import EVALUATION, begun, continue_button, draw_noted, in_address, note, problem
from core.ui.evaluate.results import draw_results, draw_table
from core.ui.evaluate.setting_rows import values_choice
from core.ui.fixes.ticking import ticking
from core.ui.run.live import tick_seconds
from core.ui.shell import address, session
from core.ui.shell.changing import change
from core.ui.shell.listing import PINNED, listing, pin_mark, pins
from core.ui.shell.local_time import moment
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.widgets import download
from core.wording import counted

LISTED = 100
REPORT = "All results in one file that opens in any browser, without a network."
QUESTIONS = "A row for each question and setting, with all metrics and where it failed."
SUMMARY = "Means and differences with intervals, p-values and verdicts."
OTHER_VALUES = "Try other values of a parameter on these runs"
OTHER_VALUES_HELP = (
    "Values that follow from the stored rankings, such as another k of RRF: no model is asked."
)
DELETED = "The evaluation and its results are deleted for good."
STATES = {
    "running": "… running",
    "interrupted": "! interrupted",
    "paused": "‖ paused",
    "finished": "✓ finished",
}
INTERRUPTED = (
    "It was interrupted: the process that worked on it ended. Everything that was done is kept. **Continue** goes on "
    "from there."
)


def show(bench: Workbench) -> None:
    """Draw the section."""
    job = begun(bench)
    if job is not None and job.id:
        del st.session_state[EVALUATION]
        _open(job.id)
    if evaluation := in_address(bench):
        _draw_evaluation(bench, with_titles(evaluation))
    elif job is not None and not job.done:
        draw_live(bench, job)
    else:
        if job is not None:
            del st.session_state[EVALUATION]
            note(problem(job))
        new_evaluation(bench)
        _list(bench, evaluations_of(bench).store.list(session.owners(bench), LISTED))


def _open(evaluation: str | None) -> None:
    """Put the evaluation with this id on the page and into its address; None: the form."""
    address.show(address.EVALUATION, evaluation)
    st.rerun()


def _list(bench: Workbench, evaluations: Sequence[Evaluation]) -> None:
    if not evaluations:
        st.info(
            "Nothing has been evaluated yet. Choose a ready-made comparison, or set the rows yourself, then press "
            "**Start**.",
            icon=":material/arrow_upward:",
        )
        return
    counts = evaluations_of(bench).store.counts([evaluation.id for evaluation in evaluations])
    progress = [(counts[evaluation.id][0], evaluation.total) for evaluation in evaluations]
    st.markdown("### Evaluated before")
    place = listing(
        "evaluations",
        {
            "Name, or what was compared": [with_titles(evaluation).title for evaluation in evaluations],
            "Questions": [len(evaluation.questions) for evaluation in evaluations],
            "State": [STATES[evaluation.state] for evaluation in evaluations],
            "Runs done": [f"{done:,} of {total:,}" for done, total in progress],
            "Begun": [evaluation.created for evaluation in evaluations],
            PINNED: pins(evaluations),
        },
        alt="Stored evaluations",
        hint="Click one to open it.",
        config={"Name, or what was compared": st.column_config.Column(width="large")},
        tall=True,
    )
    if place is not None:
        _open(evaluations[place].id)


def _draw_evaluation(bench: Workbench, evaluation: Evaluation) -> None:
    scroll_place(address.EVALUATION)
    job = evaluations_of(bench).job(evaluation.id)
    running = job is not None and not job.done
    st.markdown(f"{pin_mark(pinned=evaluation.pinned)}**{literal(evaluation.title, 200)}**")
    spec = evaluation.spec
    judged = "search only" if spec.retrieval_only else "search and answers"
    model = f", model {literal(named(spec.model))}" if spec.model else ", no model asked"
    model += f", recorded: {literal(spec.playing.name)}" if spec.playing else ""
    st.caption(
        f"{counted(len(evaluation.questions), 'question')} of {literal(spec.dataset)}, {judged}{model}. "
        f"Begun {moment(evaluation.created)}."
    )
    actions = st.container(key="evaluation-above")
    others = None if running or evaluation.state == "running" else _other_values(bench, evaluation)
    with actions:
        _actions(bench, evaluation, others, running=running)
    if job is not None and job.done and (error := problem(job)):
        st.error(literal(error), icon=":material/error:")
    if running and job is not None:
        draw_live(bench, job)
    elif evaluation.state == "running":
        ticking(LOOK_SECONDS)(_elsewhere)(bench, evaluation)
    else:
        if evaluation.state == "interrupted":
            st.info(INTERRUPTED, icon=":material/bolt:")
        draw_results(bench, evaluation.id, others)


def _other_values(bench: Workbench, evaluation: Evaluation) -> OtherValues | None:
    """Draw the choice of other values, and return their sweep; None: the evaluation is shown as it was begun."""
    swept, known = sweepable(evaluation), strategies()
    if not swept or not st.toggle(OTHER_VALUES, key=f"other-values-{evaluation.id}", help=OTHER_VALUES_HELP):
        return None
    labels, most = [setting.label for setting in evaluation.spec.settings], bench.backends.embedder.max_tokens
    with st.container(border=True, key="other-values"):
        with st.grid(2, min_column_width=240, vertical_alignment="bottom"):
            label = st.selectbox("Setting", list(swept), key=f"other-setting-{evaluation.id}")
            base = evaluation.spec.settings[labels.index(label)]
            by_key = parameters(known[base.strategy], most)
            parameter = by_key[
                st.selectbox(
                    "Parameter",
                    swept[label],
                    format_func=lambda key: by_key[key].title,
                    key=f"other-parameter-{evaluation.id}-{label}",
                )
            ]
        suggested = [
            value
            for value in parameter.suggested
            if recomputable(base, with_value(base, parameter.key, value))
        ]
        values = values_choice(
            parameter, suggested, f"other-values-of-{evaluation.id}-{label}-{parameter.key}"
        )
        try:
            sweep = sweep_of(base, parameter.key, values, most)
        except LoupeError as error:
            st.warning(literal(str(error)), icon=":material/info:")
            return None
    return OtherValues(labels.index(label), sweep)


def _actions(bench: Workbench, evaluation: Evaluation, others: OtherValues | None, *, running: bool) -> None:
    mine = evaluation.owner in session.owners(bench)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="evaluation-actions"):
        if st.button("New evaluation", key="evaluation-new", icon=":material/add:"):
            _open(None)
        if running or evaluation.state == "running":
            return
        if mine and (label := _work_left(bench, evaluation)):
            continue_button(bench, evaluation.id, label, "evaluation-continue")
        _take_home(bench, evaluation.id, others)
        store, empty = evaluations_of(bench).store, evaluation.title
        if change(bench, store, evaluation, "evaluation", "evaluation", DELETED, empty=empty):
            _open(None)
    draw_noted()


def _work_left(bench: Workbench, evaluation: Evaluation) -> str:
    """Return the work that is left, in words; empty: none."""
    done, failed = evaluations_of(bench).store.counts([evaluation.id])[evaluation.id]
    open_ = evaluation.total - done - failed
    if not open_:
        return f"Try the {failed} failed again" if failed else ""
    again = f", and try {failed} failed again" if failed else ""
    return f"Continue: {counted(open_, 'run')} left{again}"


def _take_home(bench: Workbench, evaluation: str, others: OtherValues | None) -> None:
    """Draw the downloads of the evaluation with this id, as it is shown; each file is made when it is asked for."""

    def read() -> EvaluationResults:
        return results_of(bench, evaluation, others)

    def report() -> str:
        return evaluation_report(read().evaluation, read().outcomes, bench.settings.model_prices)

    with st.popover("Export", icon=":material/download:", key="evaluation-home"):
        for label, make, ending, key, help_, icon in (
            ("Report (HTML)", report, ".html", "report", REPORT, "description"),
            ("Every question (CSV)", lambda: questions_csv(read()), ".csv", "csv", QUESTIONS, "table"),
            ("Summary (CSV)", lambda: summary_csv(read()), "-summary.csv", "summary", SUMMARY, "summarize"),
        ):
            file = f"evaluation-{evaluation}{ending}"
            download(label, make, file, f"evaluation-{key}", help_, icon=icon, width="stretch")


TICK_SECONDS = 0.7
LOOK_SECONDS = 5.0
"""Seconds between two looks at an evaluation of another process."""
INTERIM_SHARE = 10
"""The interim table is shown as many times longer than it took to compute."""
INTERIM = (
    "So far, over the questions that both have answered. It can still change: if you stop when it looks good, you "
    "choose the result."
)


def draw_live(bench: Workbench, job: EvaluationJob) -> None:
    """Draw again and again until it has ended; then the whole page redraws."""
    ticking(max(TICK_SECONDS, tick_seconds(bench)))(_live)(bench, job)


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
        st.caption("The documents are indexed once for each data set. Later evaluations use the same index.")
        if job.owner == session.owner():
            st.button("Stop", key="evaluation-stop", icon=":material/stop:", on_click=job.stop)


def _running(bench: Workbench, job: EvaluationJob) -> None:
    tried = job.pairs_done + job.pairs_failed
    with st.container(border=True, key="evaluation-progress"):
        st.progress(min(1.0, tried / max(1, job.pairs)), text=literal(job.message))
        rate = job.rate or 0.0
        pace = f"{rate:.1f} runs per second" if rate >= 1 else f"{60 * rate:.0f} runs per minute"
        with st.container(horizontal=True, vertical_alignment="center"):
            if job.owner == session.owner():
                st.button(
                    "Pause",
                    key="evaluation-pause",
                    icon=":material/pause:",
                    on_click=job.pause,
                    disabled=job.pausing,
                    help="Runs that have begun are finished, so that nothing is paid twice.",
                )
            st.caption(pace if rate else "The first runs have begun")
    table = _interim(bench, job)
    if table and any(cell for row in table.rows for cell in row.cells):
        look = results_of(bench, job.id, recompute=False).look
        draw_table(table, look, f"interim-{job.id}", "Interim differences")
        st.caption(INTERIM)
    if job.pairs_failed:
        failed_runs(results_of(bench, job.id, recompute=False))


def _interim(bench: Workbench, job: EvaluationJob) -> EvaluationTable | None:
    """Return the interim table; it is computed again when pairs were done, and seldom enough to spare the runs."""
    table: EvaluationTable | None
    until, count, table = st.session_state.get(f"interim-{job.id}", (0.0, 0, None))
    if job.pairs_done != count and time.monotonic() > until:
        start = time.monotonic()
        results = results_of(bench, job.id, recompute=False)
        available, spec = present(results.scores), results.evaluation.spec
        if keys := [key for key in OVERVIEW if key in available]:
            in_order = spec.sweep is not None
            table = evaluation_table(results.scores, spec.baseline, keys, looks=spec.looks, in_order=in_order)
        until = time.monotonic() + INTERIM_SHARE * (time.monotonic() - start)
        st.session_state[f"interim-{job.id}"] = (until, job.pairs_done, table)
    return table


def _elsewhere(bench: Workbench, evaluation: Evaluation) -> None:
    """Draw the progress of an evaluation of another process."""
    store = evaluations_of(bench).store
    done, failed = store.counts([evaluation.id])[evaluation.id]
    st.progress((done + failed) / max(1, evaluation.total), text=f"{done:,} of {evaluation.total:,} done")
    st.info(
        "Another process is working on this evaluation, or was until a moment ago. If that process was killed, you can "
        "continue the evaluation in half a minute.",
        icon=":material/sync:",
    )
    if store.get(evaluation.id).state != "running":
        st.rerun()
