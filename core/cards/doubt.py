"""The note of doubt beside an answer, on pages, in exports and in the terminal: “suggested”, “no answer”."""

from __future__ import annotations

from core.skills.answer import SUGGESTS
from core.trace.artefacts import Answer

SUGGESTED, NONE = "suggested, not stated", "no answer"


def doubt(answer: Answer | None) -> str:
    """Of an answer in a few words; empty: nothing says that it is in doubt."""
    if answer is None:
        return ""
    return NONE if answer.abstained else SUGGESTED if answer.suggested else ""


def doubted(text: str, answer: Answer | None) -> str:
    """A text of an answer with the doubt behind it; as it is where the answer says itself that there is none."""
    return f"{text} ({SUGGESTED})" if text and answer and answer.suggested else text


def doubt_note(answer: Answer) -> str:
    """The doubt in a sentence; empty: there is none, or the answer's own note says it."""
    if answer.abstained:
        return "No answer: nothing in the evidence was found to support one."
    return SUGGESTS if answer.suggested and SUGGESTS not in answer.note else ""
