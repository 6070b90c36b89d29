"""How things look: icons of the artefact kinds, a few rules of CSS, and the frame all cards share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.ui.assets import asset
from core.ui.safe import literal

ICONS: dict[str, str] = {
    "queries": ":material/manage_search:",
    "ranking": ":material/format_list_numbered:",
    "union": ":material/join_full:",
    "fusion": ":material/merge:",
    "sub_questions": ":material/account_tree:",
    "sub_answer": ":material/quick_reference_all:",
    "step_back": ":material/zoom_out_map:",
    "passages": ":material/edit_note:",
    "thought": ":material/psychology_alt:",
    "grade": ":material/fact_check:",
    "rewrite": ":material/restart_alt:",
    "plan": ":material/checklist:",
    "candidates": ":material/alt_route:",
    "path": ":material/route:",
    "tool_call": ":material/build:",
    "critique": ":material/rate_review:",
    "context": ":material/library_books:",
    "answer": ":material/forum:",
}
"""One icon per artefact kind, the same wherever the kind appears."""

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


def apply() -> None:
    """Put the page's CSS in force; our own text only."""
    st.html(f"<style>{asset('page.css')}</style>")


@contextmanager
def card(kind: str, key: str, *, subtitle: str = "", seconds: float | None = None) -> Iterator[None]:
    """The frame of an artefact: its icon, its name, what it is about, and how long its step took.

    Args:
        kind: Artefact kind.
        key: Unique on the page and stable between redraws.
        subtitle: Any text; shown literally.
        seconds: Duration of the step; None: not shown.
    """
    with st.container(border=True, key=f"card-{kind}-{key}", gap="small"):
        detail = f" · {literal(subtitle, 160)}" if subtitle else ""
        took = f" :gray[:small[{seconds:.2f} s]]" if seconds is not None else ""
        st.markdown(f"{ICONS[kind]} **{TITLES[kind]}**{detail}{took}")
        yield


def reading_aid(text: str) -> None:
    """One sentence that tells how to read a chart or a table; our own text."""
    st.caption(f":material/lightbulb: {text}")
