"""Evaluations that this page begins and continues; errors are noted where they occur and drawn with the next redraw, so
that everything typed stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import streamlit as st

from core.errors import InputError, LoupeError
from core.evaluation.dataset_catalogue import RECORDED
from core.evaluation.plan import Evaluation
from core.evaluation.runner import ONLY_THE_TEACHER, EvaluationJob, New, evaluations_of, may_evaluate
from core.models.chat_models import CONFIGURED, ChatModel, RecordedModel
from core.runs.workbench import Workbench
from core.ui.shell import address, models, session
from core.ui.shell.safe import literal
from core.ui.shell.widgets import problem as error_text

EVALUATION = "evaluation-begun"
"""Key of the job that was begun last, until its evaluation has an id and so an address."""


def chat_for(bench: Workbench, data: str) -> ChatModel:
    """The model that answers the questions of the data set with this key: the recording that plays only where it holds
    these, or somebody chose it."""
    return session.chat(bench) if data == RECORDED else session.chat_for_work(bench)


def begin(bench: Workbench, what: New | str, chat: ChatModel) -> EvaluationJob:
    """Begin an evaluation, or go on with the one that has this id; raises `LoupeError` where it cannot begin.

    Nobody watches its runs: what is played is played at once, and a run that lacks a reply does not wait.
    """
    if play := chat.play:
        chat = replace(play, missing="fail" if play.missing == "ask" else play.missing, pace="once")
    return evaluations_of(bench).start(what, session.user(bench), chat=chat)


def _as_begun(bench: Workbench, evaluation: str) -> ChatModel:
    """The recording with which an evaluation began, where it is still there; else whichever model works."""
    playing = evaluations_of(bench).store.get(evaluation).spec.playing
    if playing is None or playing.id not in models.known():
        return session.chat_for_work(bench)
    chat = session.chat(bench, models.Option("recording", playing.id))
    usual = chat.play.model if chat.play else CONFIGURED
    return RecordedModel(models.known()[playing.id], playing.missing, model=usual)


def begun(bench: Workbench) -> EvaluationJob | None:
    """The job that was begun last and has no address yet, also after a reload."""
    job: EvaluationJob | None = st.session_state.get(EVALUATION)
    if job is None and (job := evaluations_of(bench).preparing(session.owner())):
        st.session_state[EVALUATION] = job
    return job


def problem(job: EvaluationJob) -> str:
    """The reason why a job ended before its time; empty: it did not."""
    if job.halted:
        return job.halted
    error = job.error()
    return error_text(error, "Everything that was done is kept.") if error else ""


def in_address(bench: Workbench) -> Evaluation | None:
    """The evaluation that is open; None: none is, or it is not stored here, which the page then says."""
    if (evaluation := address.read_param(address.EVALUATION)) is None:
        return None
    try:
        return evaluations_of(bench).store.get(evaluation)
    except InputError:
        address.show(address.EVALUATION, None)
        st.warning(
            "No evaluation with the id in this address is stored on this server. Check the address, or begin a new "
            "evaluation.",
            title="This evaluation is missing",
            icon=":material/search_off:",
        )
        return None


def continue_button(bench: Workbench, evaluation: str, label: str, key: str) -> None:
    """Draw a button that continues the evaluation with this id."""
    may = may_evaluate(bench.settings, session.user(bench))
    st.button(
        label,
        key=key,
        icon=":material/play_arrow:",
        type="primary",
        on_click=_go_on,
        args=(bench, evaluation),
        disabled=not may,
        help=None if may else ONLY_THE_TEACHER,
    )


def _go_on(bench: Workbench, evaluation: str) -> None:
    with note_errors():
        begin(bench, evaluation, _as_begun(bench, evaluation))


_ERROR = "evaluate-error"


@contextmanager
def note_errors() -> Iterator[None]:
    """Note the sentence of an expected error."""
    try:
        yield
    except LoupeError as error:
        note(str(error))


def note(error: str) -> None:
    """Note a sentence; an empty one says nothing."""
    st.session_state[_ERROR] = error


def draw_noted() -> None:
    """Draw what was noted, once."""
    if error := st.session_state.pop(_ERROR, ""):
        st.error(literal(error), icon=":material/error:")
