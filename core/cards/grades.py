"""Grades, what they led to, and a whole run through its loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from core.trace.artefacts import Grade, Rewrite

WHAT = {
    "Retrieve": "Does the question need documents?",
    "IsRel": "Is the passage relevant to the question?",
    "IsSup": "Is the answer supported by the passages?",
    "IsUse": "Is the answer useful for the question?",
}
OUT_OF = {"IsUse": " of 5"}


@dataclass(frozen=True)
class GradeView:
    """One grade; raw text."""

    what: str
    asks: str
    verdict: str
    """With what it is out of, e.g. `4 of 5`."""
    passes: bool
    half: bool
    """It passes, but not in full."""
    reason: str
    about: str
    """Title of the passage it judged; empty: the answer."""
    text: str
    """The passage; empty: the answer."""

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


@dataclass(frozen=True)
class RewriteView:
    """A question before and after; raw text."""

    before: str
    after: str
    cause: str


def grade_view(artefact: Grade) -> GradeView:
    """The grade in words."""
    passage = artefact.passage
    return GradeView(
        what=artefact.what,
        asks=WHAT[artefact.what],
        verdict=artefact.verdict + OUT_OF.get(artefact.what, ""),
        passes=artefact.passes,
        half=artefact.verdict == "partially",
        reason=artefact.reason or ("" if artefact.note else "No reason was given."),
        about=passage.title if passage else "",
        text=passage.text if passage else "",
    )


def grades_summary(grades: Sequence[Grade]) -> str:
    """Several grades in one line: passages are counted, everything else is named."""
    chunks = [grade for grade in grades if grade.what == "IsRel"]
    relevant = sum(grade.passes for grade in chunks)
    parts = [f"IsRel: {relevant} of {len(chunks)} relevant"] if chunks else []
    parts += [f"{g.what}: {g.verdict}{OUT_OF.get(g.what, '')}" for g in grades if g.what != "IsRel"]
    return ", ".join(parts)


def rewrite_view(artefact: Rewrite) -> RewriteView:
    """What changed, and why."""
    return RewriteView(artefact.before, artefact.after, artefact.cause)
