"""Answers that cannot be judged by their words: their number, and the reason."""

from __future__ import annotations

from collections.abc import Mapping

from core.evaluation.measures import Scores

WHY = (
    "These name both options of a question like “A or B?”, or none in full; or they share words with the right answer "
    "and may be it, said otherwise or in part. Their words do not tell: a reader decides. They are left out of the "
    "metrics of answers; a difference is over the questions where both answers can be judged."
)


def unjudged(scores: Scores) -> dict[str, tuple[int, int]]:
    """Setting -> number of answers that cannot be judged, and of all answers with a known right one. Settings whose
    answers can all be judged are left out."""
    found = {
        label: [values["unclear"] for values in by_question.values() if "unclear" in values]
        for label, by_question in scores.items()
    }
    return {label: (round(sum(values)), len(values)) for label, values in found.items() if any(values)}


def unjudged_sentence(found: Mapping[str, tuple[int, int]]) -> str:
    """A sentence with the number of answers that cannot be judged and the reason; empty if all can. Raw text."""
    said = ", ".join(f"{unclear} of {answers} ({label})" for label, (unclear, answers) in found.items())
    return f"Cannot be judged: {said}. {WHY}" if found else ""
