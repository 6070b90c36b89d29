"""Values that can be compared, read from text: dates and numbers.

A date is the span of days that its words leave open, so that “1912” and “12 May 1912” are not told apart by guess.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

Day = tuple[int, int, int]
"""Year (negative: BC), month, day."""

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_TIMES = r"(?:BCE?|AD|CE)\b"
_YEAR = rf"(?:[12]\d{{3}}(?:\s*{_TIMES})?|[1-9]\d{{0,2}}\s*{_TIMES})"
_MEASURED = (
    "m|km|kg|ft|metres|meters|kilometres|kilometers|feet|miles|tonnes|tons|"
    "people|inhabitants|families|pounds|dollars"
)
_DATE = re.compile(
    rf"""
    (?<![\w£$€.,])(?:
      (?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>{MONTH}),?\s+(?P<year1>{_YEAR})
    | (?P<month2>{MONTH})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,)?\s+(?P<year2>{_YEAR})
    | (?P<iso>[12]\d{{3}})-(?P<isomonth>\d\d)-(?P<isoday>\d\d)
    | (?P<century>\d{{1,2}})(?:st|nd|rd|th)[\s-]+century(?P<bc>\s*BCE?\b)?
    | (?P<decade>[12]\d{{2}}0)s\b
    | (?P<year3>{_YEAR})
    )
    # Behind a date stands no letter, but for the next date where a dash was lost.
    (?=\d{{1,2}}\s+{MONTH}|{MONTH}\s|(?!\w))
    # “1,404 families”, “1500 metres”: a number, not a year.
    (?![,.]\d|\s*(?:{_MEASURED})\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_SMALL = {word: number for number, word in enumerate(_ONES)} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_UNITS: dict[str, dict[str, float]] = {
    "length": {
        "mm millimetre millimeter": 1e-3,
        "cm centimetre centimeter": 1e-2,
        "m metre meter": 1,
        "km kilometre kilometer": 1e3,
        "in inch inches": 0.0254,
        "ft foot feet": 0.3048,
        "yd yard": 0.9144,
        "mi mile": 1609.344,
    },
    "weight": {
        "g gram": 1e-3,
        "kg kilogram": 1,
        "lb lbs pound": 0.45359237,
        "t tonne": 1e3,
        "ton": 907.18474,
    },
    "area": {
        "hectare ha": 1e4,
        "acre": 4046.8564224,
        "km² km2": 1e6,
        "m² m2": 1,
    },
    "time": {
        "second": 1,
        "minute min": 60,
        "hour": 3600,
        "day": 86400,
        "week": 604800,
        "month": 2629800,
        "year": 31557600,
    },
}
_UNIT = {
    name + plural: (kind, factor)
    for kind, units in _UNITS.items()
    for names, factor in units.items()
    for name in names.split()
    for plural in ("", "s")
}
_SQUARE = {
    "metre": 1.0,
    "meter": 1.0,
    "kilometre": 1e6,
    "kilometer": 1e6,
    "mile": 2589988.11,
    "foot": 0.09290304,
}
_WORD = "|".join(sorted(_SMALL, key=len, reverse=True))
_SCALE = "|".join(_SCALES)
_NUMBER = re.compile(
    rf"""
    (?<![\w.,/])(?:
      (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)
    | \b(?P<word>(?:{_WORD})(?:-(?:{"|".join(_ONES[1:10])}))?\b|a(?=\s+(?:{_SCALE})\b))
    )
    (?:[\s-]+(?P<scale>{_SCALE})\b)?
    (?:
      [\s-]*(?P<percent>%|per\s?cent\b)
    | [\s-]+(?P<square>square\s+)?(?P<unit>[a-z]+[²2]?)(?!\w)
    | (?P<unit2>(?:km|cm|mm|kg|m|ft)[²2]?)(?!\w)
    )?
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class When:
    """A date, as far as its words say it."""

    first: Day
    """The earliest day that it may be."""
    last: Day
    """The latest one."""
    words: str

    def before(self, other: When) -> bool | None:
        """Whether it is certainly earlier; None: their words leave it open, or they are the same."""
        if self.last < other.first:
            return True
        return False if other.last < self.first else None

    @property
    def short(self) -> str:
        """Its year, or its words where they say no single one."""
        year = self.first[0]
        return self.words if year != self.last[0] else str(year) if year > 0 else f"{-year} BC"


@dataclass(frozen=True)
class Amount:
    """A number with the kind of thing that it measures."""

    value: float
    """In the base unit of its kind: metres, kilograms, square metres, seconds, per cent; else as it stands."""
    kind: str
    """`length`, `weight`, `area`, `time`, `percent`; else empty: a count."""
    words: str


def dates_in(text: str) -> list[tuple[int, int, When]]:
    """The dates of a text with where they begin and end, in order."""
    return [(one.start(), one.end(), when) for one in _DATE.finditer(text) if (when := _when(one))]


def _when(found: re.Match[str]) -> When | None:
    words = found[0].strip()
    if found["century"]:
        number = int(found["century"])
        if found["bc"]:
            return When((-number * 100, 1, 1), (-(number - 1) * 100 - 1, 12, 31), words)
        return When(((number - 1) * 100 + 1, 1, 1), (number * 100, 12, 31), words)
    if found["decade"]:
        year = int(found["decade"])
        return When((year, 1, 1), (year + 9, 12, 31), words)
    if found["iso"]:
        return _day(int(found["iso"]), int(found["isomonth"]), int(found["isoday"]), words)
    said = found["year1"] or found["year2"] or found["year3"]
    year = int(re.sub(r"\D", "", said))
    if re.search(r"BC", said, re.IGNORECASE):
        year = -year
    month = (
        _MONTHS[(found["month"] or found["month2"]).lower().rstrip(".")]
        if found["month"] or found["month2"]
        else 0
    )
    day = int(found["day"] or found["day2"] or 0)
    if not month:
        return When((year, 1, 1), (year, 12, 31), words)
    return _day(year, month, day, words)


def _day(year: int, month: int, day: int, words: str) -> When | None:
    if not (1 <= month <= 12 and 0 <= day <= 31):
        return None
    return When((year, month, day or 1), (year, month, day or 31), words)


def amounts_in(text: str) -> list[Amount]:
    """The numbers of a text in order, with their units."""
    return list(_amounts(text))


def _amounts(text: str) -> Iterator[Amount]:
    for found in _NUMBER.finditer(text):
        if found["digits"]:
            value = float(found["digits"].replace(",", ""))
        else:
            tens, _, ones = found["word"].lower().partition("-")
            value = float(_SMALL.get(tens, 1) + _SMALL.get(ones, 0) * bool(ones))
        value *= _SCALES.get((found["scale"] or "").lower(), 1)
        unit = (found["unit"] or found["unit2"] or "").lower()
        words = found[0].strip()
        if found["percent"]:
            yield Amount(value, "percent", words)
        elif found["square"] and (area := _SQUARE.get(unit.removesuffix("s").replace("feet", "foot"))):
            yield Amount(value * area, "area", words)
        elif unit in _UNIT:
            kind, factor = _UNIT[unit]
            yield Amount(value * factor, kind, words)
        else:
            without = words[: words.lower().rindex(unit)].strip(" -") if unit else words
            yield Amount(value, "", without)
