"""Words for comparing answers: no punctuation but the marks of numbers and names, by character in scripts without
blanks; and exact match and token F1 as SQuAD defines them, so that the figures can be compared with published ones.

Rajpurkar et al., "SQuAD", arXiv 1606.05250. With SQuAD all punctuation goes, so that “3.14” counts as “314”; whether an
answer is right in this app is judged by words that keep such marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from core.evaluation.marks import SYMBOLS, fold, parts
from core.retrieval.tokens import CJK

_ARTICLES = frozenset(("a", "an", "the"))
YES = frozenset(("yes", "true", "예", "네", "はい", "是", "是的", "对"))
NO = frozenset(("no", "false", "아니요", "아니오", "いいえ", "否", "不是", "不"))
_LAST = re.compile(r"(?<!\w)(an?|the)(?=[.,;:!?)\]}\"”»]*(?:\s*$|(?<!\w)\s))", re.IGNORECASE)
"""An article that nothing follows is none: “vitamin A”, and the answer “A”."""
_LETTER_A = re.compile(r"(?<=[\w,;:] )A(?!\w)|^A(?= (?:is|was)\b)")
"""An upper-case A where the article would be written small."""
_BETWEEN = frozenset(
    ["in", "at", "by", "on", "from", "to", "of", "for", "with", "as", "im", "am", "von", "bei", "en", "à"]
)
"""Words that may stand between a denial and what it denies."""
_DENIAL = re.compile(
    r"(?:^| )(?:not|never|nicht|neither|nor|pas|rather than|instead|statt|\w+n t|(?:is|was|are|were|did|does|do)nt"
    r"|不 是|并 非|並 非|而 非)$"
)
_DENIAL_BEHIND = re.compile(r"[이가은는]?아니|(?:では|じゃ)な")
_KEPT = "\ue000"
"""Stands behind an article that is kept, in place of a mark."""


def tokens(text: str, mark: str = "") -> list[str]:
    """The words of a text: lower case, no English articles, no punctuation but that of numbers and names.

    Chinese, Japanese and Korean are cut into single characters, as MLQA does for Chinese and KorQuAD for Korean: a
    segmenter's mistakes would count as wrong answers, and an ending would turn a Korean word into another word. The
    terms of keyword retrieval do not fit: they are pairs of characters and stems, and lack “not”.

    Args:
        mark: Replacement for punctuation. SQuAD has none; with a blank, “Bowie's” contains “Bowie”.
    """
    return list(_tokens(text, mark))


@lru_cache(maxsize=4096)
def _tokens(text: str, mark: str, letters: bool = False) -> tuple[str, ...]:
    plain = _LAST.sub(rf"\1{_KEPT}", fold(text))
    if letters:
        plain = _LETTER_A.sub(f"A{_KEPT}", plain)
    return tuple(_cut(word.replace(_KEPT, "") for word in _words(plain, mark) if word not in _ARTICLES))


def _cut(words: Iterable[str]) -> Iterator[str]:
    """Words, with Chinese, Japanese and Korean cut into single characters."""
    for word in words:
        for part in CJK.split(word):
            if CJK.match(part):
                yield from part
            elif part:
                yield part


def words(text: str, mark: str) -> list[str]:
    """Lower-case words with `mark` in place of punctuation that is not of a number or a name."""
    return _words(fold(text), mark)


def _words(text: str, mark: str) -> list[str]:
    pieces: list[str] = []
    for part, whole in parts(text, mark):
        chars = part if whole else (mark if unicodedata.category(char)[0] in "PS" else char for char in part)
        piece = "".join(chars)
        # “642[1]” is no number of four digits.
        apart = whole and pieces and pieces[-1][-1].isdigit() and piece[0].isdigit()
        if piece:
            pieces.append(f" {piece}" if apart else piece)
    return "".join(pieces).lower().split()


def place_of(part: Sequence[str], text: Sequence[str | None], start: int = 0) -> int | None:
    """Position of the first occurrence of a sequence of words, from a given position on; None: there is none."""
    if part:
        for place in range(start, len(text) - len(part) + 1):
            if list(text[place : place + len(part)]) == list(part):
                return place
    return None


def same(text: str, other: str) -> bool:
    """True if two texts have the same words in the same order; the sign of a unit may be missing in one of them."""
    ours, theirs = tokens(text), tokens(other)
    if ours == theirs:
        return True
    bare = [[word for word in words if word not in SYMBOLS] for words in (ours, theirs)]
    return bare[0] == bare[1] != [] and (bare[0] == ours or bare[1] == theirs)


def holds(text: str, part: str) -> bool:
    """True if a text contains another text, as whole words."""
    return next(_occurrences(text, part), None) is not None


def asserts(text: str, part: str) -> bool:
    """True if a text contains another text, as whole words, at a place where it does not deny it."""
    return any(not is_denied(*occurrence) for occurrence in _occurrences(text, part))


def is_denied(terms: Sequence[str], place: int, length: int) -> bool:
    """True if the words at a place are denied right before or, in Korean and Japanese, right behind them: “not Rome”,
    “instead of in Rome”, “로마가 아니라”."""
    start = place
    while start > 0 and terms[start - 1] in _BETWEEN:
        start -= 1
    before = " ".join(terms[max(0, start - 3) : start])
    behind = "".join(terms[place + length : place + length + 4])
    return _DENIAL.search(before) is not None or _DENIAL_BEHIND.match(behind) is not None


def _occurrences(text: str, part: str) -> Iterator[tuple[Sequence[str], int, int]]:
    """The words of a text, the place of another text among them, and its length, for each place."""
    # “Bowie's” contains “Bowie” if the mark separates; “U.S.” is “US” if it does not.
    for mark in ("", " "):
        target = _tokens(part, mark)
        own = _tokens(text, mark, bool(_ARTICLES & set(target)))
        place = place_of(target, own)
        while place is not None:
            yield own, place, len(target)
            place = place_of(target, own, place + 1)


@lru_cache(maxsize=4096)
def squad_tokens(text: str) -> tuple[str, ...]:
    """The words of a text as SQuAD's normalisation leaves them: lower case, no punctuation, no English articles.

    Chinese, Japanese and Korean are cut into single characters, as MLQA does for Chinese and KorQuAD for Korean.
    """
    lowered = unicodedata.normalize("NFKC", text).lower()
    bare = "".join(char for char in lowered if unicodedata.category(char)[0] not in "PS")
    return tuple(part for part in _cut(bare.split()) if part not in _ARTICLES)


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
