"""Views: pure functions from an artefact or a run to what is shown of it. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.cards.agentic import critique_view, tool_call_view
from core.cards.chain import sub_answer_view, sub_questions_view
from core.cards.evidence import answer_view, context_view
from core.cards.exploration import candidates_view, path_view, plan_view
from core.cards.fusion import fusion_view
from core.cards.grades import grade_view, rewrite_view
from core.cards.hyde import passages_view
from core.cards.queries import queries_view
from core.cards.ranking import ranking_view
from core.cards.step_back import step_back_view
from core.cards.thought import thought_view
from core.cards.union import union_view

VIEWS: dict[str, Callable[[Any], object]] = {
    "queries": queries_view,
    "ranking": ranking_view,
    "union": union_view,
    "fusion": fusion_view,
    "sub_questions": sub_questions_view,
    "sub_answer": sub_answer_view,
    "step_back": step_back_view,
    "passages": passages_view,
    "thought": thought_view,
    "grade": grade_view,
    "rewrite": rewrite_view,
    "plan": plan_view,
    "candidates": candidates_view,
    "path": path_view,
    "tool_call": tool_call_view,
    "critique": critique_view,
    "context": context_view,
    "answer": answer_view,
}
"""The view of each artefact kind; a test checks that none is missing."""
