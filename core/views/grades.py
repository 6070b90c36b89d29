"""Grades and what they led to."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.artefacts import Grade, Rewrite

WHAT = {
    "IsRel": "Is the passage relevant to the question?",
    "IsSup": "Is the answer supported by the passages?",
    "IsUse": "Is the answer useful for the question?",
}


@dataclass(frozen=True)
class GradeView:
    """One grade; raw text."""

    what: str
    asks: str
    verdict: str
    passes: bool
    reason: str
    about: str
    """Title of the passage it judged; empty: the answer."""


@dataclass(frozen=True)
class RewriteView:
    """A question before and after; raw text."""

    before: str
    after: str
    cause: str


def grade_view(artefact: Grade) -> GradeView:
    """The grade in words."""
    about = artefact.passage.title if artefact.passage else ""
    verdict = artefact.verdict if artefact.score is None else f"{artefact.verdict} ({artefact.score:.2f})"
    return GradeView(artefact.what, WHAT[artefact.what], verdict, artefact.passes, artefact.reason, about)


def rewrite_view(artefact: Rewrite) -> RewriteView:
    """What changed, and why."""
    return RewriteView(artefact.before, artefact.after, artefact.cause)
