"""Editing an artefact, and running on from there as a run of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from core.cards.kinds import TITLES
from core.errors import LoupeError
from core.runs import edits
from core.trace import artefacts as made
from core.trace.artefacts import AnyArtefact
from core.ui.shell import dialogs, session
from core.ui.shell.safe import literal


def edit_button(artefact: AnyArtefact, run: str, step: str, key: str) -> None:
    """Below an artefact that a later step reads: change it and run on."""
    name = f"edit-{key}-{artefact.kind}"
    asked = st.button(
        "Edit and run on", key=name, icon=":material/edit:", type="tertiary",
        help="Change what was made here; the run goes on from this step, as a run of its own.",
    )  # fmt: skip
    _offer(name, asked, artefact, run, step)


def edit_menu(items: Sequence[tuple[str, AnyArtefact]], run: str, key: str) -> None:
    """Below artefacts that are drawn as one: choose one of them, change it and run on.

    Args:
        items: Step id and artefact of each; those that no later step reads are left out.
        run: Id of the run; empty: nothing may be edited.
        key: Unique on the page and stable between redraws.
    """
    editable = [(step, artefact) for step, artefact in items if artefact.channel is not None]
    if not run or not editable:
        return
    with (
        st.expander("Edit and run on", icon=":material/edit:", key=f"edit-menu-{key}"),
        st.container(horizontal=True, gap="small"),
    ):
        for number, (step, artefact) in enumerate(editable):
            name = f"edit-{key}-{number}-{artefact.kind}"
            _offer(name, st.button(_label(artefact), key=name), artefact, run, step)


def _label(artefact: AnyArtefact) -> str:
    """What tells an artefact from others of its kind."""
    match artefact:
        case made.SubAnswer() | made.Thought():
            return f"{TITLES[artefact.kind]} {artefact.index + 1}"
        case made.Grade():
            about = f": {literal(artefact.passage.title, 60)}" if artefact.passage else ""
            return f"{artefact.what}, round {artefact.round}{about}"
    return TITLES[artefact.kind]


def _offer(name: str, asked: bool, artefact: AnyArtefact, run: str, step: str) -> None:
    if dialogs.is_open(f"{run}-{name}", asked):
        _dialog(artefact, run, step)


@st.dialog("Change it and run on", width="large", on_dismiss=dialogs.closed)
def _dialog(artefact: AnyArtefact, run: str, step: str) -> None:
    st.caption(
        f"{TITLES[artefact.kind]}: everything before stays as it is and is not paid for again; every later step "
        "runs anew. The run you see is kept."
    )
    try:
        changed = FORMS[artefact.kind](artefact)
    except LoupeError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    same = changed == artefact.model_copy(update={"note": changed.note})
    # Never locked: what is typed reaches the server only when the field is left, which is with the click.
    if st.button("Run on from here", key="run-on", type="primary", icon=":material/play_arrow:"):
        if same:
            st.info("Nothing is changed yet, so the run would only be repeated.", icon=":material/info:")
            return
        try:
            job = session.workbench().fork(run, step, changed, session.owner(), session.endpoint())
        except LoupeError as error:
            st.error(literal(str(error)), icon=":material/error:")
            return
        dialogs.closed()
        session.show_run(job.run)
        st.switch_page("pages/playground.py", query_params={session.RUN: job.run})


def _queries(artefact: made.Queries) -> AnyArtefact:
    text = _lines("Queries, one a line", [query.text for query in artefact.queries])
    return edits.with_queries(artefact, edits.lines_of(text))


def _sub_questions(artefact: made.SubQuestions) -> AnyArtefact:
    text = _lines("Sub-questions in order, one a line", artefact.questions)
    return edits.with_sub_questions(artefact, edits.lines_of(text))


def _text(artefact: made.SubAnswer | made.Thought) -> AnyArtefact:
    label = "Answer" if isinstance(artefact, made.SubAnswer) else "Thought"
    return edits.with_text(artefact, st.text_area(label, artefact.text, key="edit-text", height=140))


def _step_back(artefact: made.StepBack) -> AnyArtefact:
    return edits.with_general(artefact, st.text_input("The step back", artefact.general, key="edit-text"))


def _passages(artefact: made.Passages) -> AnyArtefact:
    return edits.with_passages(
        artefact,
        [
            st.text_area(f"Passage {number}", text, key=f"edit-text-{number}", height=180)
            for number, text in enumerate(artefact.texts, 1)
        ],
    )


def _rewrite(artefact: made.Rewrite) -> AnyArtefact:
    return edits.with_rewrite(
        artefact, st.text_input("The question, rewritten", artefact.after, key="edit-text")
    )


def _grade(artefact: made.Grade) -> AnyArtefact:
    if artefact.passage:
        st.markdown(f"**{literal(artefact.passage.title)}** {literal(artefact.passage.text, 400)}")
    verdicts = list(edits.VERDICTS[artefact.what])
    chosen = st.segmented_control(
        artefact.what,
        verdicts,
        default=artefact.verdict if artefact.verdict in verdicts else None,
        key="edit-verdict",
    )
    return edits.with_verdict(artefact, chosen) if chosen and chosen != artefact.verdict else artefact


def _context(artefact: made.Context) -> AnyArtefact:
    titles = {
        item.passage.chunk: f"{item.rank}. {item.passage.title}, chunk {item.passage.position + 1}"
        for item in artefact.passages
    }
    given = [item.passage.chunk for item in artefact.passages if item.given]
    chosen = st.multiselect(
        "Passages given to the answer, in this order", list(titles), default=given,
        format_func=lambda chunk: titles[chunk], key="edit-given",
        help="Take passages out, or add those that were found and not given; the order is that of choosing.",
    )  # fmt: skip
    return artefact if chosen == given else edits.with_given(artefact, chosen)


def _plan(artefact: made.Plan) -> AnyArtefact:
    lines = [f"{step.explore}: {step.text}" for step in artefact.steps]
    text = _lines("Steps in order, one a line, each “nodes: …” or “relationships: …”", lines)
    return edits.with_steps(artefact, text)


def _lines(label: str, lines: Iterable[str]) -> str:
    return st.text_area(label, "\n".join(lines), key="edit-lines", height=180)


FORMS: dict[str, Callable[[Any], AnyArtefact]] = {
    "queries": _queries,
    "sub_questions": _sub_questions,
    "sub_answer": _text,
    "step_back": _step_back,
    "passages": _passages,
    "thought": _text,
    "grade": _grade,
    "rewrite": _rewrite,
    "plan": _plan,
    "context": _context,
}
"""How each kind that can be edited is edited; a test checks that none is missing."""
