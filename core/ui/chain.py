"""How sub-questions and their answers are drawn."""

from __future__ import annotations

import streamlit as st

from core.trace.artefacts import SubAnswer, SubQuestions
from core.ui.passages import passages
from core.ui.place import Place, method_note
from core.ui.safe import literal
from core.ui.theme import card
from core.views.chain import sub_answer_view, sub_questions_view


def draw_sub_questions(artefact: SubQuestions, place: Place) -> None:
    """The sub-questions in their order."""
    view = sub_questions_view(artefact)
    with card("sub_questions", place.key, subtitle=f"{len(view.questions)} in order", seconds=place.seconds):
        st.markdown("\n".join(f"{number}. {literal(text)}" for number, text in enumerate(view.questions, 1)))
        for line in view.dropped:
            st.caption(f"~~{literal(line.text)}~~ — {literal(line.remark)}")
        method_note(artefact)


def draw_sub_answer(artefact: SubAnswer, place: Place) -> None:
    """One sub-question with what it was given, its evidence and its answer."""
    view = sub_answer_view(artefact)
    with card("sub_answer", place.key, subtitle=f"{view.number}. {view.question}", seconds=place.seconds):
        st.markdown(literal(view.text))
        passages(view.cards, f"sub-{place.key}", compact=True)
        method_note(artefact)
