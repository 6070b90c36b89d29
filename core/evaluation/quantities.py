"""Right answers that are a number of something: an answer may leave the unit out, or write it otherwise.

“642” is right where the right answer is “642 metres”, and so is “642 m”; “642 feet” is not, nor is “640 metres”.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

from core.evaluation.marks import NUMBER, SYMBOLS
from core.evaluation.wordings import MONTHS
from core.evaluation.words import tokens
from core.retrieval.tokens import CJK, word_set
from core.wording import words_beside

_LISTS = words_beside(__file__)
_UNITS: dict[str, str] = {
    name: unit for unit, names in _LISTS["units"].items() for name in (unit, *names.split())
}
"""Name of a unit -> its usual sign."""
_KINDS: tuple[dict[str, str], ...] = tuple(_LISTS["kinds"])
"""Units of one kind, each with how much of the first it is, or of a common part; all by definition."""
_ABOUT = word_set(_LISTS["about"])
"""Words before a number that change nothing about it."""
_OPEN = word_set(_LISTS["open"])
"""Words behind a number after which it is more, or less, than a number with a unit."""
_NO_UNIT = word_set(_LISTS["no_unit"])
"""Words that may follow a number that has no unit."""
_ENDING = re.compile("(?<=.)(?:です|だ|である|でした|입니다|이다|였다)$")
_MOST_WORDS = 3
"""Words of a unit that this file does not know."""
_CLAUSE = re.compile(r"[.;:!?,。，、！？\n](?=\s|$)|[。，、！？]")
_CASED_WORD = re.compile(r"[^\W\d_]+")
_BEFORE = re.compile(r"(?<![^\W\d_])([^\W\d_]+)\s+\W?\d")


@dataclass(frozen=True)
class _Quantity:
    number: str
    unit: str


def measures(text: str, gold: str) -> bool:
    """True if a right answer is a number with a unit, and an answer has as much of it, or has its number as the only
    one and without any unit."""
    quantity = _quantity(gold)
    if quantity is None:
        return False
    clauses = [_words(clause) for clause in _CLAUSE.split(text)]
    numbers = {word for words in clauses for word in words if NUMBER.fullmatch(word)}
    allowed = {quantity.unit, ""} if len(numbers) == 1 and not _is_name(text) else {quantity.unit}
    return any(
        (word == quantity.number and _unit_at(words, place) in allowed)
        or _as_much(_Quantity(word, _unit_at(words, place)), quantity)
        for words in clauses
        for place, word in enumerate(words)
        if NUMBER.fullmatch(word)
    )


def is_other_unit(text: str, gold: str) -> bool:
    """True if an answer and a right answer are numbers of two different units that are known: no reader need look."""
    ours, theirs = _quantity(text), _quantity(gold)
    units = {quantity.unit for quantity in (ours, theirs) if quantity and quantity.unit in _UNITS.values()}
    return len(units) > 1


def _as_much(ours: _Quantity, theirs: _Quantity) -> bool:
    """True if two quantities in different units are the same: “1200 m” and “1.2 km”."""
    for kind in _KINDS:
        if ours.unit in kind and theirs.unit in kind and ours.unit != theirs.unit:
            with suppress(ArithmeticError):
                first, second = (Decimal(q.number) * Decimal(kind[q.unit]) for q in (ours, theirs))
                return first == second
    return False


def _is_name(text: str) -> bool:
    """True if the first number of a text is part of a name: “Highway 42”."""
    before = _BEFORE.search(text)
    return before is not None and before[1][0].isupper() and before[1].lower() not in _ABOUT | _NO_UNIT


def _words(text: str) -> list[str]:
    """The words of a text, with a run of Chinese, Japanese or Korean as one."""
    words: list[str] = []
    for token in tokens(text, " "):
        if words and CJK.fullmatch(token) and CJK.fullmatch(words[-1]):
            words[-1] += token
        else:
            words.append(token)
    return words


def _quantity(gold: str) -> _Quantity | None:
    """The number and the unit of a right answer that is nothing else."""
    words = _words(gold)
    places = [place for place, word in enumerate(words) if NUMBER.fullmatch(word)]
    if len(places) != 1:
        return None
    (place,) = places
    before, behind = words[:place], words[place + 1 :]
    unit = _unit_at(words, place)
    if before and _unit(before) in SYMBOLS:
        before = []
    if not (before or behind) or not _ABOUT.issuperset(before):
        return None
    if behind and unit not in _UNITS.values():
        cased = _CASED_WORD.findall(gold)
        named = any(word != word.lower() for word in cased if word.lower() in behind)
        if named or len(behind) > _MOST_WORDS or not (_OPEN | MONTHS.keys()).isdisjoint(behind):
            return None
        if CJK.search(behind[0]) and len("".join(behind)) > _MOST_WORDS:
            return None
    return _Quantity(words[place], unit)


def _unit_at(words: Sequence[str], place: int) -> str:
    """The unit of the number at a place: its usual sign, or the word behind it; empty: it has none."""
    behind = list(words[place + 1 : place + 1 + _MOST_WORDS])
    for length in range(len(behind), 0, -1):
        if unit := _unit(behind[:length]):
            return unit
    if place and (unit := _unit(words[place - 1 : place])) in SYMBOLS and words[place - 1] != "pound":
        return unit
    if not behind or behind[0] in _NO_UNIT:
        return ""
    return " ".join(_singular(word) for word in behind)


def _unit(words: Sequence[str]) -> str:
    """The usual sign of a unit; empty: it is not known."""
    words = [_ENDING.sub("", word) for word in words]
    name = "-".join(words)
    return _UNITS.get(name) or _UNITS.get("-".join(_singular(word) for word in words)) or ""


def _singular(word: str) -> str:
    if word in _UNITS:
        return word
    for ending in ("es", "en", "s", "n", "e"):
        if word.endswith(ending) and word.removesuffix(ending) in _UNITS:
            return word.removesuffix(ending)
    return word[:-1] if word.endswith("s") and len(word) > _MOST_WORDS else word
