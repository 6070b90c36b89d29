"""Texts and colours as people see them: text from documents and models without what cannot be seen, names without ids,
both in Plotly figures, which read tags, entities and placeholders in a text, and answers with their note of doubt.

The colours mean something, and are told apart with every common colour blindness (Okabe and Ito's palette).
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from html import escape
from typing import NotRequired, TypedDict

from markdown_it import MarkdownIt

from core.runs.record import Record
from core.skills.answer import LACKS, SUGGESTS
from core.trace.artefacts import Answer
from core.wording import counted
from core.wording import shortened as cut_text

SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
"""One line of a chart each; always with a label as well."""
COLOURS = (*SERIES, "#6A5ACD", "#8C8C1F")
"""One for each query, or each passage that leads, of a picture; further ones have none."""

QUIET = "#8A949E"
"""For what is there for comparison only; readable on white and on near-black."""

MODEL_TIME = "#CC79A7"
PLAYED_TIME = "#E69F00"
STEP_TIME = "#56B4E9"
FAILED = "#C0392B"
HOVER_CHARS = 200
_ABSTENTION_MARK = re.compile(r"\s*\[[0?]?(?:\]\s*|$)")
"""At the start of a text that may not have come in full."""


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
"""Characters that turn the direction of writing."""


def visible(text: str) -> str:
    """Text without control characters and without those that turn the reading direction around."""
    if text.isprintable():
        return text
    return "".join(
        char
        for char in text
        if char in "\n\t" or (unicodedata.category(char) not in ("Cc", "Cs", "Co") and char not in _TURNING)
    )


def drafted(text: str) -> str:
    """An answer as far as it has streamed, without the mark of an abstention or a guess that it may begin with."""
    mark = _ABSTENTION_MARK.match(text)
    return text[mark.end() :] if mark else text


def plain(text: str) -> str:
    """A text that a figure shows as it is, also in a hover template.

    Quotes are left alone: Plotly does not know their entities, and outside of tags they do nothing.
    """
    return escape(text, quote=False).replace("%{", "&#37;{")


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of a text, as `plain` gives them."""
    return plain(cut_text(text, limit))


def wrapped(text: str, limit: int = HOVER_CHARS) -> str:
    """The beginning of a text in short lines, for a hover; each as `plain` gives it."""
    return "<br>".join(plain(part) for part in textwrap.wrap(cut_text(text, limit + 1), 60))


DATA_SET = "Data set: "
"""Begins the name of a corpus that holds the documents of a data set."""
_HASH = re.compile(r" \([0-9a-f]{8}(?:, ([^()]*))?\)")
_ID = re.compile(r"[0-9a-f]{16}")


def named(name: str) -> str:
    """The name of a model or a corpus without the hash of its file, or of its documents, at its end."""
    return _HASH.sub(lambda match: f" ({match[1]})" if match[1] else "", name)


def document_named(name: str) -> str:
    """The name of a document; empty: there is only an id, which tells nobody anything."""
    return "" if _ID.fullmatch(name) else name


def documents_of(corpus: str, count: int) -> str:
    """Number of documents of a corpus, in words. A data set may count each passage as a document of its own."""
    of = " of the data set" if corpus.startswith(DATA_SET) else ""
    return f"{counted(count, 'document')}{of}"


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
