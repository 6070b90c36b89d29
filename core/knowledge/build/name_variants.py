"""When two names may be those of one thing, judged by how they are written."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES = _words("the a an le la les el los las der die das il lo gli")
_JOINING = _words("of the and for in on at to a an de la le du des der von van di da")
_NUMBERS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve first second third fourth "
    "fifth sixth seventh eighth ninth tenth half double january february march april may june july "
    "august september october november december monday tuesday wednesday thursday friday saturday "
    "sunday north south east west northern southern eastern western upper lower junior senior jr sr "
    "not no non anti pre post"
)
"""Words that make two names differ in what they mean, however near they are."""
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
SAME_WORDS = "the same but for case, accents, punctuation or an article"
SAME_LETTERS = "the same but for blanks and hyphens"
LIKE_WORDS = 0.8
"""How alike two words must be written to be taken for spellings of one (0 to 1)."""


@lru_cache(maxsize=100_000)
def plain(name: str) -> str:
    """A name without case, accents, punctuation and an article in front."""
    text = unicodedata.normalize("NFKD", name.replace("&", " and ").casefold())
    text = "".join(char for char in text if not unicodedata.combining(char))
    # Hangul is taken apart by NFKD; put together again, its letters stay with their syllables.
    text = unicodedata.normalize("NFC", text)
    words = re.findall(r"\w+", re.sub(r"['’]", "", text))
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words)


def figures(name: str) -> tuple[str, ...]:
    """What in a name tells things apart that are otherwise called the same: numbers, dates, directions."""
    found = []
    for word in re.findall(r"\w+", name):
        low = word.casefold()
        if any(char.isdigit() for char in low):
            found += [
                str(int(part)) if part.isdecimal() else part for part in re.findall(r"\d+|[^\W\d]+", low)
            ]
        elif low in _NUMBERS or (word.isupper() and low not in ("i",) and _ROMAN.fullmatch(word)):
            found.append(low)
    return tuple(sorted(found))


def variant(one: str, other: str) -> str:
    """Why two names may be ways to write the same one, as a phrase; empty: they are not, by writing alone."""
    if figures(one) != figures(other):
        return ""
    a, b = plain(one), plain(other)
    if not a or not b:
        return ""
    if a == b:
        return SAME_WORDS
    if a.replace(" ", "") == b.replace(" ", ""):
        return SAME_LETTERS
    if _initials(a.split(), b.split()):
        return "one has initials"
    if _acronym(one, other) or _acronym(other, one):
        return "one is the acronym of the other"
    return ""


def may_be_one(one: str, other: str) -> bool:
    """Whether nothing in the writing of two names speaks against their meaning the same.

    Numbers, dates and directions must be the same. Where each has words that the other lacks and these begin with a
    capital, they must be spellings of each other: two people of one family name are two.
    """
    if figures(one) != figures(other):
        return False
    a, b = plain(one).split(), plain(other).split()
    mine, theirs = [word for word in a if word not in b], [word for word in b if word not in a]
    if not mine or not theirs:
        return True
    proper = any(char.isupper() for char in one) and any(char.isupper() for char in other)
    if not proper:
        return True
    return len(mine) == len(theirs) and all(_alike(x, y) for x, y in zip(mine, theirs, strict=True))


def _alike(one: str, other: str) -> bool:
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    return SequenceMatcher(None, one, other).ratio() >= LIKE_WORDS


def _initials(one: list[str], other: list[str]) -> bool:
    """The same last word, and before it the same words or their first letters, at least one of these."""
    if len(one) != len(other) or len(one) < 2 or one[-1] != other[-1] or len(one[-1]) < 2:
        return False
    pairs = list(zip(one[:-1], other[:-1], strict=True))
    return all(x == y or (1 in (len(x), len(y)) and x[0] == y[0]) for x, y in pairs)


def _acronym(short: str, long: str) -> bool:
    letters = short.replace(".", "")
    if not (2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper()):
        return False
    words = [word for word in re.findall(r"\w+", long) if word.casefold() not in _JOINING]
    return len(words) == len(letters) and all(
        word[0] == letter for word, letter in zip(words, letters, strict=True)
    )
