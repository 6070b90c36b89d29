"""Text from documents and models: what of it can be seen, and how it is put in Plotly figures, which read tags,
entities and placeholders in it."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from html import escape

from core.wording import shortened as cut_text

HOVER_CHARS = 200
_MARK = re.compile(r"\s*\[[0?]?(?:\]\s*|$)")
"""At the start of a text that may not have come in full."""


def visible(text: str) -> str:
    """Text without control characters and without those that turn the reading direction around."""
    if text.isprintable():
        return text
    return "".join(
        char
        for char in text
        if char in "\n\t" or (unicodedata.category(char) not in ("Cc", "Cs", "Co") and not _turns(char))
    )


def _turns(char: str) -> bool:
    return "\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069" or char in "\u200e\u200f\u061c"


def drafted(text: str) -> str:
    """An answer as far as it has streamed, without the mark of an abstention or a guess that it may begin with."""
    found = _MARK.match(text)
    return text[found.end() :] if found else text


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
