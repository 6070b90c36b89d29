"""Filters: which documents of a corpus are searched, by what is known about them.

A filter is written as conditions that all have to hold; one grammar serves command line, stored runs and form:
`type=PDF|Word` (one of these, whatever the letter case), `title~minutes` (contains), `date>=1994`, `date<=1999-06`.
`\\|` is a bar within a value.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, TypeVar, cast

from core.corpora.documents import DATE, FOLDER, TITLE, TYPE, VALUE_CHARS, About, field_name, iso_date
from core.errors import InputError

T = TypeVar("T")
Sign = Literal["=", "~", ">=", "<="]
_CONDITION = re.compile(r"([^=~<>|]+)(>=|<=|=|~)(.*)", re.DOTALL)
_PARTED = re.compile(r"((?:[^|\\]|\\.|\\\Z)*)(?:\||\Z)", re.DOTALL)
MOST_CONDITIONS, MOST_VALUES, MOST_CHARS = 20, 200, 50_000
_FIRST = (TYPE, FOLDER, DATE)
"""Fields that are listed before all others."""
FEW = 20
"""Different values up to which a field is offered as a choice among them."""
_GRAMMAR = "Write e.g. type=PDF, folder=minutes|letters, title~ferry, date>=1994 or date<=1999-06."


@dataclass(frozen=True)
class Condition:
    """A condition on one field of a document."""

    field: str
    sign: Sign
    values: tuple[str, ...]
    """Any of them is enough."""

    def __str__(self) -> str:
        """Return the condition as it is written."""
        return self.field + self.sign + "|".join(re.sub(r"([|\\])", r"\\\1", value) for value in self.values)

    @property
    def words(self) -> str:
        """The condition in words."""
        values = " or ".join(self.values)
        end = {">=": " or later", "<=": " or earlier"}.get(self.sign, "")
        return f"{self.field} {'contains' if self.sign == '~' else 'is'} {values}{end}"

    def holds(self, known: About) -> bool:
        """Return True if a document is as the condition says."""
        values = known.get(self.field, ())
        if self.field == DATE:
            return any(self._dated(value) for value in values)
        low = [value.casefold() for value in values]
        wanted = [value.casefold() for value in self.values]
        if self.sign == "~":
            return any(part in value for part in wanted for value in low)
        return not set(wanted).isdisjoint(low)

    def _dated(self, value: str) -> bool:
        """Return True if a date meets the condition; one of lower precision covers its period: an overlap is enough."""
        first, last = period(value)
        for wanted in self.values:
            begin, end = period(wanted)
            if (self.sign == "<=" or last >= begin) and (self.sign == ">=" or first <= end):
                return True
        return False


Where: TypeAlias = tuple[Condition, ...]
"""A filter: conditions that all have to hold; empty: no filter."""


@dataclass(frozen=True)
class FieldValues:
    """A field of a corpus's documents."""

    name: str
    values: Mapping[str, int]
    """Each value -> how many documents have it: dates in order, others the most frequent first."""
    documents: int
    """Number of documents that have the field."""

    @property
    def few(self) -> bool:
        """True if a choice among its values is worth offering."""
        return len(self.values) <= FEW


def parse_where(lines: Iterable[str]) -> Where:
    """Return a filter as it is written, a condition each.

    Raises:
        InputError: One cannot be read.
    """
    conditions = tuple(_condition(line) for line in lines if line.strip())
    if len(conditions) > MOST_CONDITIONS:
        raise InputError(f"A filter has at most {MOST_CONDITIONS} conditions.")
    return conditions


def where_lines(where: Where) -> tuple[str, ...]:
    """Return a filter as it is written."""
    return tuple(map(str, where))


def where_text(where: Iterable[str]) -> str:
    """Return a filter that was stored as it was written, for readers; what cannot be read stays as it is."""
    try:
        return ", ".join(condition.words for condition in parse_where(where))
    except InputError:
        return ", ".join(where)


def matching(where: Where, documents: Mapping[T, About]) -> frozenset[T]:
    """Return the ids of the documents for which all conditions hold."""
    return frozenset(
        ident for ident, known in documents.items() if all(condition.holds(known) for condition in where)
    )


def fields_of(documents: Iterable[About]) -> tuple[FieldValues, ...]:
    """Return the fields by which a filter can tell these documents apart: not all of them have the same value there."""
    counts: dict[str, Counter[str]] = {}
    having: Counter[str] = Counter()
    total = 0
    for known in documents:
        total += 1
        for name, values in known.items():
            having[name] += 1
            counts.setdefault(name, Counter()).update(values)
    fields = [
        FieldValues(name, _ordered(name, values), having[name])
        for name, values in counts.items()
        if name != TITLE and any(count < total for count in values.values())
    ]
    places = {name: place for place, name in enumerate(_FIRST)}
    fields.sort(key=lambda field: (places.get(field.name, len(places)), -field.documents, field.name))
    return tuple(fields)


@lru_cache(maxsize=10_000)
def period(value: str) -> tuple[str, str]:
    """Return the first and last day that an ISO date covers."""
    year, month, day = (*value.split("-"), "", "")[:3]
    if day:
        return value, value
    if month:
        return f"{value}-01", f"{value}-{monthrange(int(year), int(month))[1]:02d}"
    return f"{year}-01-01", f"{year}-12-31"


def _ordered(name: str, values: Counter[str]) -> dict[str, int]:
    if name == DATE:
        return dict(sorted(values.items()))
    return dict(sorted(values.items(), key=lambda pair: (-pair[1], pair[0])))


def _condition(text: str) -> Condition:
    if len(text) > MOST_CHARS:
        raise InputError(f"A condition of a filter has at most {MOST_CHARS:,} characters. {_GRAMMAR}")
    match = _CONDITION.fullmatch(text)
    name = field_name(match[1].strip()) if match else ""
    if not match or not name:
        raise InputError(f"The filter “{text[:80]}” cannot be read. {_GRAMMAR}")
    sign = cast("Sign", match[2])
    values = _values(match[3])
    if not values or len(values) > MOST_VALUES or max(map(len, values)) > VALUE_CHARS:
        raise InputError(
            f"The filter “{text[:80]}” needs 1 to {MOST_VALUES} values of at most {VALUE_CHARS} characters. {_GRAMMAR}"
        )
    if name == DATE:
        dates = tuple(map(iso_date, values))
        if sign == "~" or not all(dates):
            raise InputError(f"The filter “{text[:80]}” needs a date: 1994, 1994-06 or 1994-06-15.")
        return Condition(name, sign, dates)
    if sign in (">=", "<="):
        raise InputError(
            f"The filter “{text[:80]}” cannot be read: only dates can be from or up to something."
        )
    return Condition(name, sign, values)


def _values(text: str) -> tuple[str, ...]:
    parts: Sequence[str] = _PARTED.findall(text)
    bare = (" ".join(re.sub(r"\\(.)", r"\1", part).split()) for part in parts)
    return tuple(dict.fromkeys(part for part in bare if part))
