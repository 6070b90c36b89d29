"""Whether words were copied from a text, and where they stand in it."""

from __future__ import annotations

import re
import unicodedata

_RANGES = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_UNSPACED, _LETTER = re.compile(f"[{_RANGES}]"), re.compile(rf"[^\W{_RANGES}]")
"""Scripts whose words have no blanks between them, or, in Korean, have particles attached."""


def find_quote(quote: str, text: str) -> str:
    """The words of a quote as they stand in the text; empty if they do not stand there, one after the other.

    Only white space and case may differ, and the quote must not begin or end within a word. Both are compared in
    Unicode's composed form.
    """
    words = unicodedata.normalize("NFC", quote).split()
    if not words:
        return ""
    text = unicodedata.normalize("NFC", text)
    # A line may be broken between any two characters where words have no blanks.
    pattern = re.compile(r"\s+".join(_spaced(word) for word in words), re.IGNORECASE)
    at = 0
    while found := pattern.search(text, at):
        start, end = found.span()
        before, behind = text[max(start - 1, 0) : start], text[end : end + 1]
        if not (_goes_on(words[0][0], before) or _goes_on(words[-1][-1], behind)):
            return found.group()
        at = start + 1
    return ""


def _spaced(word: str) -> str:
    if not _UNSPACED.search(word):
        return re.escape(word)
    return r"\s*".join(map(re.escape, word))


def _goes_on(char: str, beside: str) -> bool:
    """Whether the word that ends with a character goes on with the one beside it, where there is one.

    Not a part of the pattern: to compile these ranges takes 8 ms, again for each quote.
    """
    return char.isalnum() and all(map(_LETTER.match, (char, beside)))
