"""An answer in words, on pages, in exports and in the terminal: without formatting, and with its note of doubt."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from markdown_it import MarkdownIt

from core.runs.record import Record
from core.skills.answer import LACKS, SUGGESTS
from core.trace.artefacts import Answer

SUGGESTED, INCOMPLETE, NONE = "suggested, not stated", "incomplete", "no answer"
_PARSER = MarkdownIt("commonmark", {"html": False})


def doubt(answer: Answer | None) -> str:
    """The doubt about an answer in a few words: suggested, incomplete or none; empty: there is none."""
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


def unformatted(text: str) -> str:
    """The words of Markdown, a line per paragraph; what is not formatting stays as it is written."""
    lines: list[str] = []
    bullet = ""
    for token in _PARSER.parse(text):
        if token.type == "list_item_open":
            bullet = "• "
        elif token.type == "inline":
            pieces = (
                " " if child.type in ("softbreak", "hardbreak") else child.content
                for child in token.children or ()
            )
            lines.append(bullet + "".join(pieces))
            bullet = ""
        elif token.type in ("fence", "code_block"):
            lines.append(token.content.rstrip())
    return "\n".join(lines)


class Ending(TypedDict):
    """The end of a run in the picture of its strategy: plain data; text is raw."""

    answer: str
    """Its words on one line; empty: there is none (yet)."""
    abstained: bool
    running: bool
    waits: NotRequired[bool]
    """Set where nothing more comes until somebody lets it go on."""


def ending(record: Record) -> Ending:
    """The end of a run as far as it is."""
    answer = record.answer
    end: Ending = {
        "answer": doubted(" ".join(unformatted(answer.text).split()), answer) if answer else "",
        "abstained": bool(answer and answer.abstained),
        "running": record.under_way,
    }
    return {**end, "waits": True} if record.state == "paused" else end
