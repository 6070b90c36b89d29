"""Text to search terms, for keyword retrieval in any language."""

from __future__ import annotations

import re
import threading
import unicodedata
from itertools import pairwise

import Stemmer


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written with blanks between them."""
    return frozenset(text.split())


STOP_WORDS = word_set(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there "
    "these they this to was will with s t"
)
"""Lucene's English stop words, and the letters that an apostrophe leaves behind."""

_RANGES = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
CJK = re.compile(f"([{_RANGES}]+)")
"""Runs of Han, kana or Hangul, where words are not separated by blanks or carry endings."""
_BRAHMIC = (
    "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109d\u1780-\u17d3\u17dc\u17dd"
)
"""Thai, Lao, Burmese and Khmer, whose words are not separated by blanks either."""
_BELOW = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3\u17dd"
)
"""Their vowel signs and tones, which make one character with the consonant before them."""
_UNSPACED = re.compile(f"([{_RANGES}]+|[{_BRAHMIC}]+)")
_CHARACTER = re.compile(f".(?:[\u1039\u17d2].|[{_BELOW}])*", re.DOTALL)
"""One character as a reader sees it; the two marks put the next consonant below it."""

_NAME = re.compile(
    r"(?<![\w.])(?:(?P<word>[^\W\d_][^\W_]*)(?:\+\+|[#♯])(?![^\W\d]|[+#♯])|\.(?P<behind>[a-z]{2,})(?!\w)"
    r"|(?P<parts>[^\W_]{1,3}&[^\W_]{1,3})(?!\w))"
)
"""Names that marks belong to: C++, C#, .NET, AT&T."""
_LONG_NAME = 3
"""Letters from which the word of such a name is a term, too: “notepad” of “Notepad++”, but not “c” of “C++”."""

_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u08d3-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\ufe00-\ufe0f]+"
)
"""Accents, and the vowel marks of Arabic and Hebrew, which are mostly left out. Not what tells words apart in other
scripts, such as the vowel signs of Hindi or the voiced kana."""
_OTHER_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŧ": "t"}
    | {"ٱ": "ا", "ى": "ي", "ی": "ي", "ې": "ي", "ے": "ي", "ک": "ك", "ة": "ه", "ہ": "ه", "ھ": "ه", "ە": "ه"}
)
"""Letters without a composed form, and forms of one Arabic letter, as Lucene's foldings have them."""


class _Stemmer(threading.local):
    """A stemmer for each thread: one is not safe to share between threads."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("english").stemWord


_STEMMER = _Stemmer()


class _Separators(dict[int, int | str | None]):
    """Maps every character that is not part of a word to a blank, what has no shape (soft hyphens, joiners, the stroke
    that stretches Arabic words) to nothing, and digits to those of ASCII; looks each character up once."""

    def __missing__(self, code: int) -> int | str | None:
        category = unicodedata.category(chr(code))
        if category == "Nd":
            self[code] = str(unicodedata.digit(chr(code)))
        else:
            shapeless = category == "Cf" or code == 0x640
            self[code] = None if shapeless else " " if category[0] in "PSZC" else code
        return self[code]


_SEPARATORS = _Separators()


def tokens(text: str) -> list[str]:
    """Return the search terms of a text, in order.

    Words are compared without case, accents and vowel marks; English stop words are dropped, words of ASCII letters
    stemmed (Snowball English). Runs of scripts without blanks become overlapping pairs of characters. Names such as C++
    keep their marks.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    terms: list[str] = []
    reached = 0
    for name in _NAME.finditer(text):
        terms += _plain(text[reached : name.start()])
        word = name["word"] or name["behind"] or ""
        if name["parts"] or len(word) >= _LONG_NAME:
            terms += _plain(name["parts"] or word)
        terms.append(_folded(name[0]).replace("♯", "#"))
        reached = name.end()
    return terms + _plain(text[reached:])


def characters(text: str) -> list[str]:
    """Return the characters of a text's runs in scripts without blanks, one by one."""
    text = unicodedata.normalize("NFKC", text).casefold().translate(_SEPARATORS)
    return [char for run in _UNSPACED.findall(_folded(text)) for char in _CHARACTER.findall(run)]


def lone_characters(query: str) -> list[str]:
    """Return the words of a query that are one character of a script without blanks: no pair of `tokens` is theirs.

    A syllable of Hangul is one only where the query has nothing else: between other words it is mostly a particle.
    """
    text = unicodedata.normalize("NFKC", query).casefold().translate(_SEPARATORS)
    words = _folded(text).split()
    lone = [word for word in words if _UNSPACED.fullmatch(word) and _CHARACTER.fullmatch(word)]
    return lone if len(lone) == len(words) else [word for word in lone if not "\uac00" <= word <= "\ud7a3"]


def _plain(text: str) -> list[str]:
    """Return the terms of a text in lower case that has no names with marks."""
    stem = _STEMMER.stem
    terms: list[str] = []
    for word in text.translate(_SEPARATORS).split():
        if word.isascii():
            if word not in STOP_WORDS:
                terms.append(stem(word))
            continue
        for part in _UNSPACED.split(_folded(word)):
            if _UNSPACED.match(part):
                single = _CHARACTER.findall(part)
                terms.extend(map("".join, pairwise(single)) if len(single) > 1 else single)
            elif part:
                terms.append(stem(part) if part.isascii() else part)
    return terms


def _folded(text: str) -> str:
    """Return a text in lower case without accents and vowel marks."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text)).translate(_OTHER_LETTERS)
    return unicodedata.normalize("NFC", bare)
