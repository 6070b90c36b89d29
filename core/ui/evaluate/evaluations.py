"""What was evaluated, a new evaluation, and the one that is open."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError

import pandas as pd
import streamlit as st

from core.errors import InputError, LoupeError
from core.evaluation.evaluations import evaluations_of
from core.evaluation.plan import Evaluation
from core.evaluation.runner import EvaluationJob
from core.runs.store import MAX_NAME
from core.runs.workbench import Workbench
from core.ui import session
from core.ui.evaluate.files import take_home
from core.ui.evaluate.form import BEGUN, new_evaluation
from core.ui.evaluate.found import found_of
from core.ui.evaluate.progress import draw_elsewhere, draw_live
from core.ui.evaluate.results import draw_results
from core.ui.safe import literal

LISTED = 100
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
    evaluation = session.shown_evaluation()
    job = _begun(bench)
    if job is not None and job.id:
        del st.session_state[BEGUN]
        session.show_evaluation(job.id)
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
        session.show_evaluation(None)
        _compose(bench, None)
        return
    _one(bench, found)


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
    # Cells of a data frame are drawn as text, so nothing needs escaping here.
    table = pd.DataFrame(
        {
            "": ["📌" if one.pinned else "" for one in found],
            "Name, or what was compared": [one.title for one in found],
            "Questions": [len(one.questions) for one in found],
            "State": [STATES[one.state] for one in found],
            "Runs done": [f"{counts[one.id][0]:,} of {one.total:,}" for one in found],
            "Begun (UTC)": [one.created for one in found],
        }
    )
    chosen = st.dataframe(
        table,
        hide_index=True,
        key="evaluations",
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "": st.column_config.Column(width=40, help="Pinned: shown to everybody."),
            "Name, or what was compared": st.column_config.Column(width="large"),
            "Begun (UTC)": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", width=150),
        },
        alt="Stored evaluations",
    )["selection"]["cells"]
    st.caption("Click one to open it.")
    if chosen and chosen[0][0] < len(found):
        session.show_evaluation(found[chosen[0][0]].id)
        st.rerun()


# One evaluation


def _one(bench: Workbench, evaluation: Evaluation) -> None:
    job = evaluations_of(bench).job(evaluation.id)
    running = job is not None and not job.done
    st.markdown(f"{'📌 ' if evaluation.pinned else ''}**{literal(evaluation.title, 200)}**")
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
    mine, teacher = evaluation.owner in session.owners(bench), session.is_teacher(bench)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="evaluation-actions"):
        if st.button("New evaluation", key="evaluation-new", icon=":material/add:"):
            session.show_evaluation(None)
            st.rerun()
        if running or evaluation.state == "running":
            return
        if mine and (label := _left(bench, evaluation)):
            st.button(
                label, key="evaluation-continue", icon=":material/play_arrow:", type="primary",
                on_click=_go_on, args=(bench, evaluation.id),
            )  # fmt: skip
        take_home(bench, evaluation.id)
        if mine or teacher:
            _rename(bench, evaluation)
        if teacher:
            st.button(
                "Unpin" if evaluation.pinned else "Pin", key="evaluation-pin", icon=":material/keep:",
                on_click=evaluations_of(bench).store.pin, args=(evaluation.id, not evaluation.pinned),
                help="A pinned evaluation is listed for everybody.",
            )  # fmt: skip
        if mine or teacher:
            _delete(bench, evaluation)
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
        evaluations_of(bench).start(evaluation, session.owner(), endpoint=session.endpoint())
    except LoupeError as error:
        st.session_state["evaluation-error"] = str(error)


def _rename(bench: Workbench, evaluation: Evaluation) -> None:
    with (
        st.popover("Rename", icon=":material/edit:", key="evaluation-rename"),
        st.form("rename-evaluation", border=False),
    ):
        name = st.text_input("Name", evaluation.name, max_chars=MAX_NAME, placeholder=evaluation.title[:80])
        if st.form_submit_button("Save", key="evaluation-rename-save"):
            try:
                evaluations_of(bench).store.rename(evaluation.id, name)
            except InputError as error:
                st.error(literal(str(error)))
                return
            st.rerun()


def _delete(bench: Workbench, evaluation: Evaluation) -> None:
    with st.popover("Delete", icon=":material/delete:", key="evaluation-delete"):
        st.markdown("The evaluation and its results are deleted for good.")
        if st.button("Delete this evaluation", key="evaluation-delete-sure", type="primary"):
            evaluations_of(bench).store.delete(evaluation.id)
            session.show_evaluation(None)
            st.rerun()
