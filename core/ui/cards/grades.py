"""How grades, the loops they cause, graded drafts and rewritten questions are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.aids import AIDS
from core.cards.grades import grade_view, grades_summary, rewrite_view
from core.cards.laps import laps
from core.trace.artefacts import Answer, Artefact, Grade, Rewrite
from core.ui.cards.place import Place, method_note
from core.ui.shell.assets import asset, script
from core.ui.shell.safe import answer_markdown, literal
from core.ui.shell.theme import card, reading_aid

_grades = st.components.v2.component(
    "rag_loupe.grades", html='<div class="root"></div>', css=asset("grades.css"), js=script("grades.js")
)
_laps = st.components.v2.component(
    "rag_loupe.laps", html='<div class="root"></div>', css=asset("grades.css"), js=script("laps.js")
)


def draw_grade(artefact: Grade, place: Place) -> None:
    """One grade with its reason."""
    draw_grades([artefact], place)


def draw_grades(grades: Sequence[Grade], place: Place) -> None:
    """The grades of one layer below one another, each with its reason; a passage opens on a click.

    Args:
        grades: At least one.
        place: That of the first.
    """
    with card("grade", place.key, subtitle=grades_summary(grades), seconds=place.seconds):
        _grades(data={"grades": [grade_view(grade).data() for grade in grades]}, key=f"grades-{place.key}")
        told: dict[tuple[str, str, str], Grade] = {}
        for grade in grades:
            told.setdefault((grade.skill, grade.method, grade.note), grade)
        for grade in told.values():
            method_note(grade)


def draw_laps(artefacts: Sequence[Artefact], key: str, colour: str) -> None:
    """The way of a run through its loops, a row per lap.

    Args:
        artefacts: All artefacts of the run so far, in order.
        key: Unique on the page and stable between redraws.
        colour: The strategy's.
    """
    rows = [lap.data() for lap in laps(artefacts)]
    if not rows:
        return
    st.markdown("##### The way through the loops")
    reading_aid(AIDS["laps"])
    _laps(data={"laps": rows, "colour": colour}, key=f"laps-{key}")


def draw_graded_draft(artefact: Answer, place: Place) -> None:
    """An answer that was graded and is not, or not yet, the run's; folded."""
    with card("answer", place.key, subtitle="a draft, to be graded", seconds=place.seconds):
        with st.expander(literal(artefact.text, 90) or "Empty", key=f"draft-{place.key}"):
            st.markdown(answer_markdown(artefact.text, range(1, 100)))
        method_note(artefact)


def draw_rewrite(artefact: Rewrite, place: Place) -> None:
    """The question before and after, and why."""
    view = rewrite_view(artefact)
    with card("rewrite", place.key, subtitle=f"number {artefact.round}", seconds=place.seconds):
        st.markdown(f"{literal(view.before)} → **{literal(view.after)}**")
        st.caption(f"Because of {literal(view.cause)}")
        method_note(artefact)
