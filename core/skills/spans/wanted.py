"""What a question asks for, by its question word: a date, a number, a person, a place, a name, or a few words.

English by the words of its grammar; in Korean, Japanese and Chinese dates and numbers alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.skills.spans.words import Word, stem, word_set, words

Kind = Literal["date", "number", "person", "place", "nation", "name", "text"]
"""`nation`: nationality; `name`: of whatever the question says (“which ship”); `text`: a few words of any kind (“what
did … publish?”)."""

TITLES: dict[Kind, str] = {
    "date": "date",
    "number": "number",
    "person": "name of a person",
    "place": "place",
    "nation": "nationality",
    "name": "name",
    "text": "answer in a few words",
}
"""Kinds, as they are named to people."""

_ASKS = word_set("who whom whose what which when where how")
_TIMES = word_set("year date day month century decade time period era season weekday")
_PLACES = word_set(
    "city country town village place state county province region continent location birthplace island "
    "river street nation capital district area territory"
)
_NATIONS = frozenset(["nationality", "nationalities", "citizenship", "ethnicity"])
_NUMBERS = word_set(
    "number amount percentage percent population price cost length height width depth distance age size "
    "total share proportion fare fee salary temperature speed weight capacity score rate"
)
_PERSONS = word_set(
    "person man woman actor actress author writer singer king queen president director king emperor "
    "scientist player politician artist composer father mother son daughter brother sister husband wife"
)
_MEASURES = word_set(
    "many much far long old tall high deep wide big large fast heavy often late early small thick hot cold"
)
_BEFORE_NOUNS = word_set("the a an one of was were is are your their his her its some other")
MOST_HEADS = 3
_DOING = word_set("is are was were do does did has have had can could may might must shall should will would")
_CJK_DATE = re.compile(
    r"언제|몇\s?년|몇\s?월|몇\s?일|며칠|어느\s?해|いつ|何年|何月|何日|什么时候|什麼時候|何时|何時|哪一?年|几月|哪一?天"
)
_CJK_NUMBER = re.compile(
    r"몇|얼마|何人|何[%％]|何パーセント|いくつ|いくら|どれくらい|どのくらい|何[^\W\d_の]{0,2}|多少|几|多[长远高大久]|百分之几"
)


@dataclass(frozen=True)
class Wanted:
    """What a question asks for."""

    kind: Kind
    heads: tuple[str, ...] = ()
    """Stems of the noun that is asked about and of what stands before it, as in “which old ship”."""
    asks: str = ""
    """The question word with what it measures: `who`, `how many`, `how far`, `what`."""
    ending: str = ""
    """What the question says behind the question word, for people: “date of birth of …”."""


def wanted(question: str) -> Wanted | None:
    """What a question asks for in short; None: a reason, a way, a yes or no, a choice, or several things at once."""
    if _CJK_DATE.search(question):
        return Wanted("date", asks="when")
    if not question.isascii() and _CJK_NUMBER.search(question):
        return Wanted("number", asks="how many")
    found = words(_asking_part(question))
    place = next((i for i, word in enumerate(found) if _asking(found, i)), None)
    if place is None:
        return None
    rest = found[place + 1 :]
    lowered = [word.lower for word in rest]
    if "or" in lowered and (found[place].lower == "which" or "," in lowered):
        return None
    if any(word in _ASKS and (before in ("and", ",")) for before, word in pairwise(lowered)):
        return None
    return _by_word(found[place].lower, rest)


def _asking(found: tuple[Word, ...], place: int) -> bool:
    """Whether a word asks, and does not begin a clause, as in “the year when …”."""
    word, before = found[place].lower, [one.lower for one in found[:place]]
    if word not in _ASKS:
        return False
    return not (before and before[0] in _DOING)


def _asking_part(question: str) -> str:
    """The last sentence of a question that ends with a question mark, else all of it."""
    parts = [part for part in re.split(r"(?<=[.!?])\s+", question.strip()) if part]
    asked = [part for part in parts if part.endswith("?")]
    return (asked or parts or [question])[-1]


def _by_word(word: str, rest: tuple[Word, ...]) -> Wanted | None:
    lowered = [one.lower for one in rest]
    ending = " ".join(one.text for one in rest if one.text != "?")
    if word in ("who", "whom", "whose"):
        return Wanted("person", asks="who", ending=ending)
    if word == "when":
        return Wanted("date", asks="when", ending=ending)
    if word == "where":
        return Wanted("place", asks="where", ending=ending)
    if word == "how":
        if not lowered or lowered[0] not in _MEASURES:
            return None
        heads = _stems(_noun_group(rest[1:])) if lowered[0] in ("many", "much") else ()
        return Wanted("number", heads, f"how {lowered[0]}", ending)
    return _what(word, rest, ending)


def _what(word: str, rest: tuple[Word, ...], ending: str) -> Wanted | None:
    """“Which ship …”, “what is the date of birth of …”, “what did …”."""
    lowered = [one.lower for one in rest]
    first = lowered[0] if lowered else ""
    if first in _DOING or first in ("'s", "’s"):
        if first in ("is", "are", "was", "were", "'s", "’s"):
            heads = _noun_group(rest[1:])
            return Wanted(_kind(heads, "text"), _stems(heads), word, ending)
        paid = bool({"cost", "owe", "pay", "charge"} & set(lowered))
        return Wanted("number" if paid else "text", (), "how much" if paid else word, ending)
    heads = _noun_group(rest)
    if {"country", "nation"} & {head.lower() for head in heads} and [one.text for one in rest if one.is_word][
        -1:
    ] == ["from"]:
        return Wanted("nation", (), word, ending)
    return Wanted(_kind(heads, "name" if word == "which" else "text"), _stems(heads), word, ending)


def _kind(heads: Sequence[str], otherwise: Kind) -> Kind:
    classes: tuple[tuple[Kind, frozenset[str]], ...] = (
        ("date", _TIMES), ("nation", _NATIONS), ("place", _PLACES), ("number", _NUMBERS), ("person", _PERSONS),
    )  # fmt: skip
    for head in reversed(heads):
        lower = head.lower()
        for kind, known in classes:
            if lower in known or lower.removesuffix("s") in known:
                return kind
    return otherwise


def _stems(group: Sequence[str]) -> tuple[str, ...]:
    return tuple(found for one in group if (found := stem(one)))


def _noun_group(rest: Sequence[Word]) -> tuple[str, ...]:
    """The first words of content in a row, at most three: “historic empire” of “which historic empire did”."""
    group: list[str] = []
    for one in rest:
        if one.is_content and len(group) < MOST_HEADS and not (group and one.lower.endswith("ed")):
            group.append(one.text)
        elif group or one.lower not in _BEFORE_NOUNS:
            break
    return tuple(group)
