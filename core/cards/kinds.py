"""What each kind of artefact is called, and its icon: the same on the page and in a report."""

from __future__ import annotations

ICONS: dict[str, str] = {
    "queries": "manage_search",
    "ranking": "format_list_numbered",
    "union": "join_full",
    "fusion": "merge",
    "sub_questions": "account_tree",
    "sub_answer": "quick_reference_all",
    "step_back": "zoom_out_map",
    "passages": "edit_note",
    "thought": "psychology_alt",
    "grade": "fact_check",
    "rewrite": "restart_alt",
    "plan": "checklist",
    "candidates": "alt_route",
    "path": "route",
    "tool_call": "build",
    "critique": "rate_review",
    "context": "library_books",
    "answer": "forum",
}
"""One icon of Material Symbols per artefact kind, the same wherever the kind appears."""

TITLES: dict[str, str] = {
    "queries": "Queries",
    "ranking": "Ranking",
    "union": "Unique union",
    "fusion": "Rank fusion",
    "sub_questions": "Sub-questions",
    "sub_answer": "Sub-answer",
    "step_back": "Step back",
    "passages": "Hypothetical passages",
    "thought": "Thought",
    "grade": "Grade",
    "rewrite": "Rewritten question",
    "plan": "Plan",
    "candidates": "Candidates",
    "path": "Path",
    "tool_call": "Decisions",
    "critique": "Critique",
    "context": "Evidence",
    "answer": "Answer",
}
"""What each artefact kind is called on screen."""
