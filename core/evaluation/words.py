"""Words for comparing answers: SQuAD's normalisation, by character in scripts without blanks."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from core.retrieval.tokens import CJK

_ARTICLES = frozenset(("a", "an", "the"))


def tokens(text: str, mark: str = "") -> list[str]:
    """The words of a text as SQuAD's normalisation leaves them: lower case, no punctuation, no English articles.

    Chinese, Japanese and Korean are cut into single characters, as MLQA does for Chinese and KorQuAD for Korean: a
    segmenter's mistakes would count as wrong answers, and an ending would turn a Korean word into another word. The
    terms of keyword retrieval do not fit: they are pairs of characters and stems, and lack “not”.

    Args:
        mark: Replacement for punctuation. SQuAD has none; with a blank, “Bowie's” contains “Bowie”.
    """
    return list(_tokens(text, mark))


@lru_cache(maxsize=4096)
def _tokens(text: str, mark: str) -> tuple[str, ...]:
    found: list[str] = []
    for word in words(text, mark):
        for part in CJK.split(word):
            if CJK.match(part):
                found.extend(part)
            elif part and part not in _ARTICLES:
                found.append(part)
    return tuple(found)


def words(text: str, mark: str) -> list[str]:
    """Lower-case words with `mark` in place of punctuation."""
    lowered = unicodedata.normalize("NFKC", text).lower()
    return "".join(mark if unicodedata.category(char)[0] in "PS" else char for char in lowered).split()


def place_of(part: Sequence[str], text: Sequence[str | None], start: int = 0) -> int | None:
    """Position of the first occurrence of a sequence of words, from a given position on; None: there is none."""
    if part:
        for place in range(start, len(text) - len(part) + 1):
            if list(text[place : place + len(part)]) == list(part):
                return place
    return None


def holds(text: str, part: str) -> bool:
    """Whether a text contains another text, as whole words."""
    # “Bowie's” contains “Bowie” if the mark separates; “U.S.” is “US” if it does not.
    return any(place_of(tokens(part, mark), tokens(text, mark)) is not None for mark in ("", " "))
