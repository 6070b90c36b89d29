"""The languages of a corpus, detected in a sample of its chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SHARE = 0.1
"""Smallest share of the sample, from 0 to 1, at which a language counts."""
_LANGUAGES = (
    "ar Arabic, bg Bulgarian, bn Bengali, ca Catalan, cs Czech, da Danish, de German, el Greek, "
    "en English, es Spanish, et Estonian, fa Persian, fi Finnish, fr French, he Hebrew, hi Hindi, "
    "hr Croatian, hu Hungarian, id Indonesian, it Italian, ja Japanese, ko Korean, lt Lithuanian, "
    "lv Latvian, ms Malay, nl Dutch, no Norwegian, pl Polish, pt Portuguese, ro Romanian, ru Russian, "
    "sk Slovak, sl Slovenian, sr Serbian, sv Swedish, sw Swahili, ta Tamil, th Thai, tr Turkish, "
    "uk Ukrainian, ur Urdu, vi Vietnamese, zh Chinese"
)
NAMES = dict(pair.split(" ") for pair in _LANGUAGES.split(", "))
"""ISO 639-1 code -> English name, of the languages that can be detected."""


def languages(texts: Iterable[str]) -> tuple[str, ...]:
    """The languages of some texts by their English names, the most frequent first, without rare ones (`SHARE`).

    Detected by character n-grams (Lui & Baldwin 2012, "langid.py"); short texts may be taken for another language.
    """
    identifier = _identifier()
    found = Counter(identifier.classify(text)[0] for text in texts if text.strip())
    least = SHARE * found.total()
    return tuple(NAMES[str(code)] for code, count in found.most_common() if count >= least)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(sorted(NAMES))
    return identifier
