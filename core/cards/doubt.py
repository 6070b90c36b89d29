"""The note of doubt beside an answer, on pages, in exports and in the terminal: suggested, incomplete, or none."""

from __future__ import annotations

from core.skills.answer import LACKS, SUGGESTS
from core.trace.artefacts import Answer

SUGGESTED, INCOMPLETE, NONE = "suggested, not stated", "incomplete", "no answer"


def doubt(answer: Answer | None) -> str:
    """Of an answer in a few words; empty: nothing says that it is in doubt."""
    if answer is None:
        return ""
    if answer.abstained:
        return NONE
    return SUGGESTED if answer.suggested else INCOMPLETE if answer.incomplete else ""


def doubted(text: str, answer: Answer | None) -> str:
    """A text of an answer with the doubt behind it; as it is where the answer says itself that there is none."""
    words = doubt(answer)
    return f"{text} ({words})" if text and words not in ("", NONE) else text


def doubt_note(answer: Answer) -> str:
    """The doubt in a sentence; empty: there is none, or the answer's own note says it."""
    if answer.abstained:
        return "No answer: nothing in the evidence was found to support one."
    notes = {SUGGESTED: SUGGESTS, INCOMPLETE: LACKS}
    note = notes.get(doubt(answer), "")
    return note if note not in answer.note else ""
