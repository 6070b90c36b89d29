"""Whether words were copied from a text, and where they stand in it."""

from __future__ import annotations

import re
import unicodedata

_RANGES = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_UNSPACED = re.compile(f"[{_RANGES}]")
"""Scripts whose words have no blanks between them, or, in Korean, have particles attached."""


def find_quote(quote: str, text: str) -> str:
    """The words of a quote as they stand in the text; empty if they do not stand there, one after the other.

    Only white space and case may differ, and the quote must not begin or end within a word. Both are compared in
    Unicode's composed form.
    """
    words = unicodedata.normalize("NFC", quote).split()
    if not words:
        return ""
    # A line may be broken between any two characters where words have no blanks.
    pattern = r"\s+".join(_spaced(word) for word in words)
    pattern = (
        _border(words[0][0], rf"(?<![^\W{_RANGES}])")
        + pattern
        + _border(words[-1][-1], rf"(?![^\W{_RANGES}])")
    )
    found = re.search(pattern, unicodedata.normalize("NFC", text), re.IGNORECASE)
    return found.group() if found else ""


def _spaced(word: str) -> str:
    if not _UNSPACED.search(word):
        return re.escape(word)
    return r"\s*".join(map(re.escape, word))


def _border(char: str, pattern: str) -> str:
    return pattern if char.isalnum() and not _UNSPACED.match(char) else ""
