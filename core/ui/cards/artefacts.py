"""How each kind of artefact is drawn; exactly one way per kind, live and in replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.cards.aids import AIDS
from core.cards.queries import queries_view
from core.cards.ranking import ranking_view
from core.cards.union import union_view
from core.trace.artefacts import Answer, AnyArtefact, Context, Fusion, Queries, Ranking, Union
from core.ui.cards.agentic import draw_decisions
from core.ui.cards.answer import draw_answer, draw_context
from core.ui.cards.chain import draw_sub_answer, draw_sub_questions
from core.ui.cards.exploration import draw_candidates, draw_path, draw_plan
from core.ui.cards.fusion import draw_fusion
from core.ui.cards.grades import draw_grade, draw_graded_draft, draw_rewrite
from core.ui.cards.grid import draw_grid
from core.ui.cards.hyde import draw_passages
from core.ui.cards.passages import passages
from core.ui.cards.place import Place, method_note
from core.ui.cards.step_back import draw_step_back
from core.ui.cards.thought import draw_thought
from core.ui.run.edit import edit_button
from core.ui.shell.safe import literal
from core.ui.shell.theme import card, reading_aid

FEW_DROPPED = 4
"""Up to so many dropped queries are shown unfolded."""


def draw(artefact: AnyArtefact, place: Place) -> None:
    """Draw any artefact, with a way to edit it where a later step reads it."""
    DRAWERS[artefact.kind](artefact, place)
    if place.run and artefact.channel is not None:
        edit_button(artefact, place.run, place.step, place.key)


def _queries(artefact: Queries, place: Place) -> None:
    view = queries_view(artefact)
    with card("queries", place.key, subtitle=f"{len(view.used)} searched", seconds=place.seconds):
        lines = [
            f"{number}. {literal(line.text)} :gray[:small[{literal(line.remark)}]]"
            for number, line in enumerate(view.used, 1)
        ]
        st.markdown("\n".join(lines))
        if view.dropped:
            dropped = [f"- ~~{literal(line.text)}~~ — {literal(line.remark)}" for line in view.dropped]
            fold = st.expander(
                f"{len(dropped)} dropped, and why",
                expanded=len(dropped) <= FEW_DROPPED,
                key=f"dropped-{place.key}",
            )
            fold.markdown("\n".join(dropped))
        method_note(artefact)


def _ranking(artefact: Ranking, place: Place) -> None:
    view = ranking_view(artefact)
    with card("ranking", place.key, subtitle=f"{view.retriever}: {view.query}", seconds=place.seconds):
        if not view.used:
            st.caption("Nothing found for this query.")
        passages(view.used, f"ranking-used-{place.key}", compact=True)
        if view.rest:
            with st.expander(f"{len(view.rest)} more below k, not used", key=f"ranking-rest-{place.key}"):
                passages(view.rest, f"ranking-more-{place.key}", compact=True)
        method_note(artefact)


def _union(artefact: Union, place: Place) -> None:
    view = union_view(artefact)
    with card("union", place.key, subtitle=f"{len(view.rows)} different passages", seconds=place.seconds):
        reading_aid(AIDS["union"])
        draw_grid(view, f"union-{place.key}", colour=place.colour)
        method_note(artefact)


def _fusion(artefact: Fusion, place: Place) -> None:
    with card("fusion", place.key, subtitle="Reciprocal Rank Fusion", seconds=place.seconds):
        draw_fusion(artefact, place.key, place.colour)
        method_note(artefact)


def _context(artefact: Context, place: Place) -> None:
    draw_context(artefact, place.answer, place.key, place.score_name)
    method_note(artefact)


def _answer(artefact: Answer, place: Place) -> None:
    if not artefact.final:
        draw_graded_draft(artefact, place)
        return
    draw_answer(artefact, place.context, place.key)
    method_note(artefact)


DRAWERS: dict[str, Callable[[Any, Place], None]] = {
    "queries": _queries,
    "ranking": _ranking,
    "union": _union,
    "fusion": _fusion,
    "sub_questions": draw_sub_questions,
    "sub_answer": draw_sub_answer,
    "step_back": draw_step_back,
    "passages": draw_passages,
    "thought": draw_thought,
    "grade": draw_grade,
    "rewrite": draw_rewrite,
    "plan": draw_plan,
    "candidates": draw_candidates,
    "path": draw_path,
    "tool_call": draw_decisions,
    "critique": draw_decisions,
    "context": _context,
    "answer": _answer,
}
"""The one way each kind is drawn; a test checks that none is missing."""
