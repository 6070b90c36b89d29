"""Exact match and token F1 as SQuAD defines them, so that the figures can be compared with published ones.

Rajpurkar et al., "SQuAD", arXiv 1606.05250. All punctuation goes, so that “3.14” counts as “314”; whether an answer
is right in this app is judged by the words of `core.evaluation.words`, which keep such marks.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

from core.retrieval.tokens import CJK

_ARTICLES = frozenset(("a", "an", "the"))
YES = frozenset(("yes", "true", "예", "네", "はい", "是", "是的", "对"))
NO = frozenset(("no", "false", "아니요", "아니오", "いいえ", "否", "不是", "不"))


@lru_cache(maxsize=4096)
def squad_tokens(text: str) -> tuple[str, ...]:
    """The words of a text as SQuAD's normalisation leaves them: lower case, no punctuation, no English articles.

    Chinese, Japanese and Korean are cut into single characters, as MLQA does for Chinese and KorQuAD for Korean.
    """
    lowered = unicodedata.normalize("NFKC", text).lower()
    bare = "".join(char for char in lowered if unicodedata.category(char)[0] not in "PS")
    found: list[str] = []
    for word in bare.split():
        for part in CJK.split(word):
            if CJK.match(part):
                found.extend(part)
            elif part and part not in _ARTICLES:
                found.append(part)
    return tuple(found)


def squad_match(text: str, gold: str) -> float:
    """1 if both have the same tokens in the same order, else 0."""
    return float(squad_tokens(text) == squad_tokens(gold))


def token_f1(text: str, gold: str) -> float:
    """Harmonic mean of the precision and recall of an answer's tokens, from 0 to 1.

    If one of them is a bare yes or no, only the same word scores above 0, as in HotpotQA.
    """
    ours, theirs = squad_tokens(text), squad_tokens(gold)
    verdicts = YES | NO
    if ours != theirs and ("".join(ours) in verdicts or "".join(theirs) in verdicts):
        return 0.0
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs))
