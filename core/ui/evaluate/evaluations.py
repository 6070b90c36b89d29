"""What was evaluated, a new evaluation, and the one that is open."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError

import streamlit as st

from core.charts.setting_names import titled
from core.errors import InputError, LoupeError
from core.evaluation.evaluations import ONLY_THE_TEACHER, evaluations_of, may_evaluate
from core.evaluation.plan import Evaluation
from core.evaluation.runner import EvaluationJob
from core.runs.workbench import Workbench
from core.ui.evaluate.files import take_home
from core.ui.evaluate.form import BEGUN, new_evaluation
from core.ui.evaluate.found import found_of
from core.ui.evaluate.progress import draw_elsewhere, draw_live
from core.ui.evaluate.results import draw_results
from core.ui.shell import address, session
from core.ui.shell.changing import change
from core.ui.shell.listing import PIN, PINNED, WHEN, listing, pin_mark, pins
from core.ui.shell.safe import literal

LISTED = 100
DELETED = "The evaluation and its results are deleted for good."
STATES = {
    "running": "… running",
    "interrupted": "⚡ interrupted",
    "paused": "⏸ paused",
    "finished": "✓ finished",
}
INTERRUPTED = (
    "It was interrupted: the process that worked on it ended. Everything that was done is kept, and **Continue** goes "
    "on from there."
)
UNEXPECTED = "Something unexpected went wrong; the server's log says more. What was done is kept."


def show(bench: Workbench) -> None:
    """Draw the section."""
    evaluation = address.shown(address.EVALUATION)
    job = _begun(bench)
    if job is not None and job.id:
        del st.session_state[BEGUN]
        address.show(address.EVALUATION, job.id)
        st.rerun()
    if evaluation is None:
        if job is not None and not job.done:
            draw_live(bench, job)
        else:
            _compose(bench, job)
        return
    try:
        found = evaluations_of(bench).store.get(evaluation)
    except InputError:
        st.warning(
            "No evaluation with the id in this address is stored on this server. Check the address, or begin anew.",
            title="This evaluation is not here",
            icon=":material/search_off:",
        )
        address.show(address.EVALUATION, None)
        _compose(bench, None)
        return
    _one(bench, titled(found))


def _begun(bench: Workbench) -> EvaluationJob | None:
    """What was begun here last and has not come into the address yet, also after a reload."""
    if BEGUN not in st.session_state and (job := evaluations_of(bench).preparing(session.owner())):
        st.session_state[BEGUN] = job
    found: EvaluationJob | None = st.session_state.get(BEGUN)
    return found


# Before


def _compose(bench: Workbench, failed: EvaluationJob | None) -> None:
    if failed is not None:
        del st.session_state[BEGUN]
        st.session_state["evaluation-error"] = problem(failed)
    new_evaluation(bench)
    _list(bench, evaluations_of(bench).store.list(session.owners(bench), LISTED))


def problem(job: EvaluationJob) -> str:
    """Why a job ended before its time; empty: it did not."""
    if job.halted:
        return job.halted
    try:
        error = job.error()
    except CancelledError:
        return ""
    if error is None:
        return ""
    return str(error) if isinstance(error, LoupeError) else UNEXPECTED


def _list(bench: Workbench, found: Sequence[Evaluation]) -> None:
    if not found:
        st.info(
            "Nothing has been evaluated yet. Choose a line-up, or set the rows yourself, then press **Start**.",
            icon=":material/arrow_upward:",
        )
        return
    counts = evaluations_of(bench).store.counts([one.id for one in found])
    st.markdown("##### Evaluated before")
    place = listing(
        "evaluations",
        {
            PINNED: pins(found),
            "Name, or what was compared": [titled(one).title for one in found],
            "Questions": [len(one.questions) for one in found],
            "State": [STATES[one.state] for one in found],
            "Runs done": [f"{counts[one.id][0]:,} of {one.total:,}" for one in found],
            "Begun (UTC)": [one.created for one in found],
        },
        alt="Stored evaluations",
        hint="Click one to open it.",
        config={
            PINNED: PIN,
            "Name, or what was compared": st.column_config.Column(width="large"),
            "Begun (UTC)": WHEN,
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
    model = f", model {literal(spec.model)}" if spec.model else ", no model asked"
    st.caption(
        f"{len(evaluation.questions):,} questions of {literal(spec.dataset)}, {judged}{model}. "
        f"Begun {evaluation.created:%Y-%m-%d %H:%M} UTC."
    )
    _actions(bench, evaluation, running=running)
    if job is not None and job.done and (said := problem(job)):
        st.error(literal(said), icon=":material/error:")
    if running and job is not None:
        draw_live(bench, job)
    elif evaluation.state == "running":
        draw_elsewhere(bench, evaluation)
    else:
        if evaluation.state == "interrupted":
            st.info(INTERRUPTED, icon=":material/bolt:")
        draw_results(bench, evaluation.id)


def _actions(bench: Workbench, evaluation: Evaluation, *, running: bool) -> None:
    store = evaluations_of(bench).store
    mine = evaluation.owner in session.owners(bench)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="evaluation-actions"):
        if st.button("New evaluation", key="evaluation-new", icon=":material/add:"):
            address.show(address.EVALUATION, None)
            st.rerun()
        if running or evaluation.state == "running":
            return
        may = may_evaluate(bench.settings, session.user(bench))
        if mine and (label := _left(bench, evaluation)):
            st.button(
                label,
                key="evaluation-continue",
                icon=":material/play_arrow:",
                type="primary",
                on_click=_go_on,
                args=(bench, evaluation.id),
                disabled=not may,
                help=None if may else ONLY_THE_TEACHER,
            )
        take_home(bench, evaluation.id)
        empty = evaluation.title
        if change(bench, store, evaluation, "evaluation", "evaluation", DELETED, empty=empty):
            address.show(address.EVALUATION, None)
            st.rerun()
    if error := st.session_state.pop("evaluation-error", ""):
        st.error(literal(error), icon=":material/error:")


def _left(bench: Workbench, evaluation: Evaluation) -> str:
    """What there is to go on with; empty: nothing."""
    found = found_of(bench, evaluation.id)
    open_ = evaluation.total - len(found.outcomes.done) - len(found.outcomes.failed)
    failed = len(found.outcomes.failed)
    if not open_:
        return f"Try the {failed} failed again" if failed else ""
    again = f", and try {failed} failed again" if failed else ""
    return f"Continue: {open_:,} runs left{again}"


def _go_on(bench: Workbench, evaluation: str) -> None:
    try:
        evaluations_of(bench).start(evaluation, session.user(bench), endpoint=session.endpoint())
    except LoupeError as error:
        st.session_state["evaluation-error"] = str(error)
