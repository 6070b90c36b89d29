"""Stored evaluations, a new evaluation, and the evaluation that is open."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.texts import named
from core.charts.evaluation_csv import questions_csv, summary_csv
from core.charts.evaluation_settings import titled
from core.errors import LoupeError
from core.evaluation.plan import Evaluation
from core.evaluation.runner import EvaluationJob, evaluations_of
from core.evaluation.sweep_results import sweepable
from core.evaluation.sweeps import parameters, recomputable, sweep_of, with_value
from core.report import evaluation_report
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate.cached_results import EvaluationResults, OtherValues, results_of
from core.ui.evaluate.form import new_evaluation
from core.ui.evaluate.jobs import EVALUATION, begun, continue_button, draw_noted, in_address, note, problem
from core.ui.evaluate.progress import draw_elsewhere, draw_live
from core.ui.evaluate.results import draw_results
from core.ui.evaluate.setting_rows import values_choice
from core.ui.shell import address, session
from core.ui.shell.changing import change
from core.ui.shell.listing import PIN, PINNED, listing, pin_mark, pins
from core.ui.shell.local_time import column_of, moment, when
from core.ui.shell.safe import literal
from core.ui.shell.widgets import download
from core.wording import counted

LISTED = 100
REPORT = "All results in one file that opens in any browser, also without a network."
QUESTIONS = "A row for each question and setting, with all metrics and where it failed."
SUMMARY = "Means and differences with intervals, p-values and verdicts."
OTHER_VALUES = "Other values of one parameter, recomputed from these runs"
OTHER_VALUES_HELP = "What follows from the stored rankings, such as another k of RRF: no model is asked."
DELETED = "The evaluation and its results are deleted for good."
STATES = {
    "running": "… running",
    "interrupted": "! interrupted",
    "paused": "‖ paused",
    "finished": "✓ finished",
}
INTERRUPTED = (
    "It was interrupted: the process that worked on it ended. Everything that was done is kept, and **Continue** goes "
    "on from there."
)


def show(bench: Workbench) -> None:
    """Draw the section."""
    job = begun(bench)
    if job is not None and job.id:
        del st.session_state[EVALUATION]
        address.show(address.EVALUATION, job.id)
        st.rerun()
    if found := in_address(bench):
        _one(bench, titled(found))
    elif job is not None and not job.done:
        draw_live(bench, job)
    else:
        _compose(bench, job)


# Before


def _compose(bench: Workbench, failed: EvaluationJob | None) -> None:
    if failed is not None:
        del st.session_state[EVALUATION]
        note(problem(failed))
    new_evaluation(bench)
    _list(bench, evaluations_of(bench).store.list(session.owners(bench), LISTED))


def _list(bench: Workbench, found: Sequence[Evaluation]) -> None:
    if not found:
        st.info(
            "Nothing has been evaluated yet. Choose a line-up, or set the rows yourself, then press **Start**.",
            icon=":material/arrow_upward:",
        )
        return
    counts = evaluations_of(bench).store.counts([one.id for one in found])
    st.markdown("### Evaluated before")
    begun = column_of("Begun")
    place = listing(
        "evaluations",
        {
            PINNED: pins(found),
            "Name, or what was compared": [titled(one).title for one in found],
            "Questions": [len(one.questions) for one in found],
            "State": [STATES[one.state] for one in found],
            "Runs done": [f"{counts[one.id][0]:,} of {one.total:,}" for one in found],
            begun: [one.created for one in found],
        },
        alt="Stored evaluations",
        hint="Click one to open it.",
        config={
            PINNED: PIN,
            "Name, or what was compared": st.column_config.Column(width="large"),
            begun: when(),
        },
    )
    if place is not None:
        address.show(address.EVALUATION, found[place].id)
        st.rerun()


# One evaluation


def _one(bench: Workbench, evaluation: Evaluation) -> None:
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
    if job is not None and job.done and (said := problem(job)):
        st.error(literal(said), icon=":material/error:")
    if running and job is not None:
        draw_live(bench, job)
    elif evaluation.state == "running":
        draw_elsewhere(bench, evaluation)
    else:
        if evaluation.state == "interrupted":
            st.info(INTERRUPTED, icon=":material/bolt:")
        draw_results(bench, evaluation.id, others)


def _other_values(bench: Workbench, evaluation: Evaluation) -> OtherValues | None:
    """The sweep of its stored runs that is asked for; None: what was begun is shown."""
    swept, known = sweepable(evaluation), strategies()
    if not swept or not st.toggle(OTHER_VALUES, key=f"other-values-{evaluation.id}", help=OTHER_VALUES_HELP):
        return None
    labels, most = [one.label for one in evaluation.spec.settings], bench.backends.embedder.max_tokens
    with st.container(border=True, key="other-values"):
        with st.grid(2, min_column_width=240, vertical_alignment="bottom"):
            label = st.selectbox("Setting", list(swept), key=f"other-setting-{evaluation.id}")
            base = evaluation.spec.settings[labels.index(label)]
            every = parameters(known[base.strategy], most)
            parameter = every[
                st.selectbox(
                    "Parameter",
                    swept[label],
                    format_func=lambda key: every[key].title,
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
            address.show(address.EVALUATION, None)
            st.rerun()
        if running or evaluation.state == "running":
            return
        if mine and (label := _left(bench, evaluation)):
            continue_button(bench, evaluation.id, label, "evaluation-continue")
        _take_home(bench, evaluation.id, others)
        store, empty = evaluations_of(bench).store, evaluation.title
        if change(bench, store, evaluation, "evaluation", "evaluation", DELETED, empty=empty):
            address.show(address.EVALUATION, None)
            st.rerun()
    draw_noted()


def _left(bench: Workbench, evaluation: Evaluation) -> str:
    """The work that is left, in words; empty: none."""
    done, failed = evaluations_of(bench).store.counts([evaluation.id])[evaluation.id]
    open_ = evaluation.total - done - failed
    if not open_:
        return f"Try the {failed} failed again" if failed else ""
    again = f", and try {failed} failed again" if failed else ""
    return f"Continue: {counted(open_, 'run')} left{again}"


def _take_home(bench: Workbench, evaluation: str, others: OtherValues | None) -> None:
    """The evaluation with this id, as it is shown, as files; each is made when it is asked for."""

    def found() -> EvaluationResults:
        return results_of(bench, evaluation, others)

    def report() -> str:
        return evaluation_report(found().evaluation, found().outcomes, bench.settings.model_prices)

    with st.popover("Take it home", icon=":material/download:", key="evaluation-home"):
        for label, make, ending, key, help_, icon in (
            ("Report (HTML)", report, ".html", "report", REPORT, "description"),
            ("Every question (CSV)", lambda: questions_csv(found()), ".csv", "csv", QUESTIONS, "table"),
            ("Summary (CSV)", lambda: summary_csv(found()), "-summary.csv", "summary", SUMMARY, "summarize"),
        ):
            file = f"evaluation-{evaluation}{ending}"
            download(label, make, file, f"evaluation-{key}", help_, icon=icon, width="stretch")
