"""A rough guess of a text's language: enough to tell whether two texts can share words.

Questions and answers are often one short sentence, or a name: too short for the n-grams of
`core.corpora.corpus_languages`, which must name a language where this may leave it open.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from core.wording import words_beside

_WORDS = {code: frozenset(words.split()) for code, words in words_beside(__file__).items()}
"""Language in Latin letters -> function words that occur in nearly every sentence."""
_LATIN_WORD = re.compile(r"[a-zà-öø-ÿß]+")
_WEIGHT = 3
"""Number of characters of another script that count as one function word: names often keep their script."""


def language_of(text: str) -> str:
    """The language of a text as a code such as en or ko; for scripts other than Latin, Hangul, Han and kana the name of
    the script; empty if the text is too short to tell, e.g. if it consists of names.

    Lower-case function words tell the languages that are written in Latin letters; names are not counted.
    """
    scores: Counter[str] = Counter()
    for char in text:
        if char.isalpha() and (script := _script(char)):
            scores[script] += 1
    if scores["ja"]:
        scores["ja"] += scores.pop("zh", 0)
    # A word that several languages share does not distinguish them.
    word_counts = Counter(_LATIN_WORD.findall(text))
    hits = {code: sum(word_counts[word] for word in words) for code, words in _WORDS.items()}
    best = max(hits, key=lambda code: hits[code])
    if sum(count == hits[best] for count in hits.values()) == 1:
        scores[best] += _WEIGHT * hits[best]
    code, count = max(scores.items(), key=lambda pair: pair[1], default=("", 0))
    return code if count else ""


def same_language(text: str, others: Iterable[str]) -> bool:
    """True if a text may be in the language of one of the other texts; True if the language is unknown."""
    own, codes = language_of(text), {language_of(other) for other in others}
    # Han without kana may be Japanese; a text of unknown language is in Latin letters.
    alike = {own, *({"ja"} if own == "zh" else ()), *({""} if own in _WORDS else ())}
    return not own or not codes or bool(alike & codes)


def _script(char: str) -> str:
    if char.isascii():
        return ""
    name = unicodedata.name(char, "").split(" ")[0]
    return {"LATIN": "", "HANGUL": "ko", "HIRAGANA": "ja", "KATAKANA": "ja", "CJK": "zh"}.get(
        name, name.lower()
    )
