"""Text to search terms, for keyword retrieval in any language."""

from __future__ import annotations

import re
import threading
import unicodedata
from itertools import pairwise

import Stemmer

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there "
    "these they this to was will with s t"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Lucene's English stop words, and the letters that an apostrophe leaves behind."""

CJK = re.compile(
    "([\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
"""Runs of Han, kana or Hangul, where words are not separated by blanks or carry endings."""
_local = threading.local()


class _Separators(dict[int, int | str]):
    """Maps every character that is not part of a word to a blank; looks each character up once."""

    def __missing__(self, code: int) -> int | str:
        separates = unicodedata.category(chr(code))[0] in "PSZC"
        self[code] = " " if separates else code
        return self[code]


_SEPARATORS = _Separators()


def tokens(text: str) -> list[str]:
    """The search terms of a text, in order.

    Words are lower-cased; English stop words are dropped, words of ASCII letters stemmed (Snowball
    English). Chinese, Japanese and Korean runs become overlapping pairs of characters.
    """
    stem = _stemmer().stemWord
    terms: list[str] = []
    for word in unicodedata.normalize("NFKC", text).lower().translate(_SEPARATORS).split():
        if word.isascii():
            if word not in STOP_WORDS:
                terms.append(stem(word))
            continue
        for part in CJK.split(word):
            if CJK.match(part) and len(part) > 1:
                terms.extend(a + b for a, b in pairwise(part))
            elif part:
                terms.append(stem(part) if part.isascii() else part)
    return terms


def _stemmer() -> Stemmer.Stemmer:
    # A stemmer is not safe to share between threads.
    if not hasattr(_local, "stemmer"):
        _local.stemmer = Stemmer.Stemmer("english")
    stemmer: Stemmer.Stemmer = _local.stemmer
    return stemmer
