"""How sub-questions and their answers are drawn: one flow, in which every link has its place from the start."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.aids import AIDS
from core.cards.chain import chain_view, sub_questions_view
from core.trace.artefacts import Artefact, SubAnswer, SubQuestions
from core.ui.cards.place import Place, method_note
from core.ui.shell.assets import asset, script
from core.ui.shell.safe import literal
from core.ui.shell.theme import card, reading_aid

_component = st.components.v2.component(
    "rag_loupe.chain", html='<div class="root"></div>', css=asset("chain.css"), js=script("chain.js")
)


def draw_chain(items: Sequence[tuple[str, Artefact]], place: Place) -> None:
    """Sub-questions, evidence and answers as one flow.

    Args:
        items: The label of the step and the artefact, in the order of the run.
        place: Its `answer` is the run's, once it is there.
    """
    made = [artefact for _, artefact in items]
    view = chain_view(items, place.answer)
    first = made[0]
    kind = "sub_questions" if isinstance(first, SubQuestions) else "sub_answer"
    with card(kind, place.key, subtitle=view.progress):
        if isinstance(first, SubQuestions):
            method_note(first)
            _dropped(first, place.key)
            reading_aid(AIDS["chain"])
        _component(data=view.data() | {"colour": place.colour}, key=f"chain-{place.key}")
        answers = [artefact for artefact in made if isinstance(artefact, SubAnswer)]
        if answers:
            method_note(answers[0].model_copy(update={"note": ""}))  # each link has its note with it


def draw_sub_questions(artefact: SubQuestions, place: Place) -> None:
    """The sub-questions in their order; those that tools answer as a list, since their answers stand elsewhere."""
    if not artefact.by_tools:
        draw_chain([("", artefact)], place)
        return
    count = len(artefact.questions)
    with card("sub_questions", place.key, subtitle="1 question" if count == 1 else f"{count} questions"):
        if any("#" in question for question in artefact.questions):
            reading_aid(AIDS["references"])
        lines = [f"{number}. {literal(question)}" for number, question in enumerate(artefact.questions, 1)]
        st.markdown("\n".join(lines))
        method_note(artefact)


def draw_sub_answer(artefact: SubAnswer, place: Place) -> None:
    """One sub-question with what it was given, its evidence and its answer."""
    draw_chain([("", artefact)], place)


def _dropped(artefact: SubQuestions, key: str) -> None:
    lines = [
        f"- ~~{literal(line.text)}~~ — {literal(line.remark)}"
        for line in sub_questions_view(artefact).dropped
    ]
    if lines:
        with st.expander(f"{len(lines)} dropped, and why", key=f"dropped-{key}"):
            st.markdown("\n".join(lines))
