"""Facts that a comparison needs, read by rule from passages and sub-answers about a thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from core.retrieval.tokens import tokens
from core.skills.composing.asked import Asked
from core.skills.composing.countries import countries_in
from core.skills.composing.subjects import (
    NAME,
    Fact,
    Value,
    answers_about,
    as_fact,
    folded,
    sentences_about,
)
from core.skills.composing.values import MONTH, When, amounts_in, dates_in
from core.trace.artefacts import SubAnswer
from core.trace.passages import Passage

_PLACE = rf"{NAME}(?:,\s+{NAME})?"
_NEAR = 70
"""Characters behind a word such as “born” within which its date stands."""
_BORN = re.compile(r"\bborn\b|\bb\.")
_DIED = re.compile(r"\b(?:died|death|was killed|passed away)\b|\bd\.|†")
_OUT = re.compile(r"\b(?:released|premiered|published|aired|came out|issued)\b")
_WORK = re.compile(
    r"\b(?:film|movie|drama|comedy|song|album|single|novel|book|series|play|musical|documentary|opera|western|thriller|"
    r"episode|game|magazine)\b"
)
_GLUED = re.compile(r"(?<=[12]\d{3})(?=\d{1,2}\s+[A-Z][a-z]+\s+[12]\d{3})")
"""Between two dates of which the dash was lost, as happens when text is taken from a page."""
_IN_OFFICE = re.compile(r"\b(?:reign|ruled|in office|active|served)")
_COPULA = re.compile(r"\b(?:is|was|were|are)\s+(?:(?:a|an|the|one)\b)")
_CLAUSE = re.compile(r"\b(?:who|which|that|whose|best|known|and is|directed|starring|by)\b")
"""Where a definition ends, and what follows speaks of something else: “an American writer who lived in France”."""
_BETWEEN = re.compile(r"\s*(?:(?:[-–/,]|and)\s*)?(?:(?:-\s*)?born\s*)?")
"""What may stand between two nationalities: “British-American”, “Danish-born Canadian”."""


def fact(
    asked: Asked, subject: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]
) -> Fact | None:
    """What is asked of a thing, its passages before the sub-answers; None: nothing says it for certain."""
    for passage, sentence in sentences_about(subject, passages):
        if found := _read(asked, sentence):
            return Fact(*found, sentence, passage.chunk)
    for answer in answers_about(subject, answers):
        if given := _answered(asked, answer):
            return as_fact(given[0], answer, given[1])
    return None


def _answered(asked: Asked, answer: SubAnswer) -> tuple[Value, str] | None:
    """What the answer to a sub-question gives, if that is what its question asks for."""
    said, text = f"{answer.question} {answer.searched}".casefold(), answer.short or answer.text
    if asked.value == "date":
        kind = {"birth": r"\bborn\b|birth", "death": r"\bdie[ds]?\b|death"}.get(asked.key, "")
        if not re.search(kind, said) or not re.search(r"\bwhen\b|\b(?:year|date|day)\b", said):
            return None
        if not answer.short and kind:
            return _birth_or_death(text, asked.key)
        return next(((when, when.words) for _, _, when in dates_in(text)), None)
    if asked.value == "amount":
        amounts = amounts_in(answer.short)
        return (amounts[0], amounts[0].words) if len(amounts) == 1 else None
    if asked.value == "country":
        found = countries_in(text) if re.search(r"country|national|citizen", said) else []
        return _countries(text, found[:1] if answer.short else found[-1:])
    short = answer.short.rstrip(".")
    return (short, short) if short else None


def _read(asked: Asked, sentence: str) -> tuple[Value, str] | None:
    """What a sentence about a thing says of it."""
    if asked.key in ("birth", "death"):
        return _birth_or_death(sentence, asked.key)
    if asked.key == "release":
        return _release(sentence)
    if asked.value == "date":
        return _by_word(sentence, asked.key)
    if asked.value == "country":
        return _country(sentence)
    return _place(sentence, asked.key) if asked.value == "place" else None


# Dates


def _date(when: When) -> tuple[Value, str]:
    return when, when.words


def _birth_or_death(sentence: str, key: str) -> tuple[Value, str] | None:
    """The dates of “(1 May 1912 – 3 June 1990)”; else the one behind “born” or “died”."""
    sentence = _GLUED.sub(" – ", sentence)
    dates = dates_in(sentence)
    for (_, end, first), (start, _, second) in pairwise(dates):
        between, opened = sentence[end:start], sentence.rfind("(", 0, end)
        joined = (
            len(between) <= 45 and ")" not in between and (not between.strip() or re.search("[–—-]", between))
        )
        if joined and opened >= 0 and end - opened < 120 and not _IN_OFFICE.search(sentence[opened:end]):
            return _date(first if key == "birth" else second)
    for found in (_BORN if key == "birth" else _DIED).finditer(sentence):
        for start, _, when in dates:
            between = sentence[found.end() : start]
            if 0 <= start - found.end() <= _NEAR and not re.search(r"[.;)]\s", between):
                return _date(when)
    return None


def _release(sentence: str) -> tuple[Value, str] | None:
    """The year of “is a 1936 Danish film”; else the date behind “released”, or “(1936)” before the kind of work."""
    dates = dates_in(sentence)
    for start, end, when in dates:
        if re.search(r"\b(?:is|was)\s+(?:a|an|the)\s+$", sentence[:start]) and _WORK.search(
            sentence[end : end + 90]
        ):
            return _date(when)
    for found in _OUT.finditer(sentence):
        for start, _, when in dates:
            if 0 <= start - found.end() <= _NEAR:
                return _date(when)
    for start, end, when in dates:
        if sentence[:start].endswith("(") and _WORK.search(sentence[end : end + 60]):
            return _date(when)
    return None


def _by_word(sentence: str, word: str) -> tuple[Value, str] | None:
    """The date nearest to a verb."""
    found = re.search(rf"\b(?:{word})\b", sentence, re.IGNORECASE)
    dates = dates_in(sentence)
    if not found or not dates:
        return None
    start, _, when = min(dates, key=lambda one: abs(one[0] - found.end()))
    return _date(when) if abs(start - found.end()) <= _NEAR else None


# Countries and places


def _countries(text: str, found: Sequence[tuple[int, int, str]]) -> tuple[Value, str] | None:
    """Countries that stand together in a text, and its words for them."""
    return (frozenset(name for _, _, name in found), text[found[0][0] : found[-1][1]]) if found else None


def _country(sentence: str) -> tuple[Value, str] | None:
    """The nationality in “X is a Danish painter”; else the last country of “a village in A, Iran” or “born in A, B”."""
    copula = _COPULA.search(sentence)
    clause = _CLAUSE.split(sentence[copula.end() :])[0] if copula else ""
    found = countries_in(clause)
    if not found:
        place = _place(sentence, "birthplace")
        return _countries(place[1], countries_in(place[1])[-1:]) if place else None
    if re.search(r"\b(?:in|of|from|at|near)\b", clause[: found[0][0]]):
        return _countries(clause, found[-1:])
    run = found[:1]
    for one in found[1:]:
        if not _BETWEEN.fullmatch(clause[run[-1][1] : one[0]]):
            break
        run.append(one)
    return _countries(clause, run)


def _place(sentence: str, key: str) -> tuple[Value, str] | None:
    """“Born in X”; else the places beside the dates of “(X, 1924 – Y, 1979)” and “(3 March 1930, X – 1979, Y)”."""
    word = (_BORN if key == "birthplace" else _DIED).pattern
    found = re.search(
        rf"(?:{word})[^.;]{{0,40}}?\b(?:in|at|on)\s+(?!(?i:{MONTH})\b)(?P<place>{_PLACE})", sentence
    )
    if not found and (bracket := re.search(r"\((?=[^()]*\d)([^()]*)\)", sentence)):
        halves = re.split(r"(?:(?<!\s)\s+)?[–—]\s*|(?<!\s)\s+-\s+", bracket[1])
        if len(halves) == 2:
            half = halves[key == "deathplace"]
            for start, end, _ in reversed(dates_in(half)):
                half = f"{half[:start]} {half[end:]}"
            found = re.match(rf"[\s,]*(?:in\s+)?(?P<place>{_PLACE})[\s,]*$", half)
    return (found["place"], found["place"]) if found else None


# Whether two are the same


def same(asked: Asked, first: Value, second: Value) -> bool | None:
    """Whether two values are the same; None: that cannot be told."""
    if isinstance(first, frozenset) and isinstance(second, frozenset):
        return bool(first & second)
    if isinstance(first, When) and isinstance(second, When):
        return _same_year(first, second)
    if isinstance(first, str) and isinstance(second, str):
        one, two = folded(first.split(",")[0]), folded(second.split(",")[0])
        return one == two or (asked.value == "name" and _part_of(one, two))
    return None


def _same_year(first: When, second: When) -> bool | None:
    years = {first.first[0], first.last[0], second.first[0], second.last[0]}
    return True if len(years) == 1 else False if first.before(second) is not None else None


def _part_of(one: str, two: str) -> bool:
    """Whether one name is a part of the other: “Orme” and “Rafe Orme”."""
    short, long = sorted((set(tokens(one)), set(tokens(two))), key=len)
    return bool(short) and short <= long
