"""What the tool that searches documents may be told to search: arguments made from the fields of these documents.

So a model writes the filter of its own query: LangChain's self-query, LlamaIndex's auto-retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from core.corpora.about import DATE, FOLDER, iso_date
from core.corpora.filtering import Condition, FieldValues, Where

DATE_FROM, DATE_TO = "date_from", "date_to"
MOST_FIELDS = 6
LONGEST_VALUE = 60
"""Characters of a value that a model is offered."""
SHOWN_VALUES = 8
"""Values of a field that are named in the line on the documents."""
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_TAKEN = {"question", DATE_FROM, DATE_TO}
LEFT_OUT = "Leave a filter out unless the question itself says so: a wrong one hides the answer."
"""What a tool with such arguments has to say of them, once for all."""


def _as_text(value: Any) -> Any:
    """Models fill what they need not with null, and name several values in a list."""
    if isinstance(value, list):
        return "|".join(map(str, value))
    return "" if value is None else str(value)


Said = Annotated[str, BeforeValidator(_as_text)]


def offered(fields: Sequence[FieldValues]) -> tuple[FieldValues, ...]:
    """The fields that make an argument: dates, folders, and those with a few short values."""
    fit = (
        field
        for field in fields
        if field.name in (DATE, FOLDER)
        or (field.few and _ARGUMENT.fullmatch(field.name) and field.name not in _TAKEN)
    )
    return tuple(field for field in fit if field.name == DATE or _short(field))[:MOST_FIELDS]


def arguments(fields: Sequence[FieldValues]) -> dict[str, Any]:
    """The arguments, as fields of a pydantic model; all may be left out."""
    made: dict[str, Any] = {}
    for field in offered(fields):
        if field.name == DATE:
            days = f"ISO, as exact as known; they have {_range(field)}."
            made[DATE_FROM] = (
                Said,
                Field(default="", description=f"Only documents of this date or later: {days}"),
            )
            made[DATE_TO] = (
                Said,
                Field(default="", description=f"Only documents of this date or earlier: {days}"),
            )
            continue
        about = f"Only documents whose {field.name.replace('_', ' ')} is this."
        made[field.name] = (_choice(field) if field.few else Said, Field(default="", description=about))
    return made


def _choice(field: FieldValues) -> Any:
    # Told, but not enforced: with a value that no document has, one searches without the filter. Not said by the field,
    # since LangChain keeps no more of that than its description.
    return Annotated[Said, WithJsonSchema({"type": "string", "enum": _short(field)})]


def where_of(given: Mapping[str, str]) -> Where:
    """The filter that arguments of a call say; a date that is none says nothing."""
    found: list[Condition] = []
    for name, text in given.items():
        values = tuple(part.strip() for part in text.split("|") if part.strip())
        if name in (DATE_FROM, DATE_TO):
            dates = tuple(filter(None, map(iso_date, values)))
            found += [Condition(DATE, ">=" if name == DATE_FROM else "<=", dates[:1])] if dates else []
        elif values:
            found.append(Condition(name, "=", values))
    return tuple(found)


def named(fields: Sequence[FieldValues]) -> str:
    """The fields with some of their values, in a line."""
    parts = []
    for field in offered(fields):
        values = _short(field)
        more = ", …" if len(values) > SHOWN_VALUES else ""
        said = _range(field) if field.name == DATE else ", ".join(values[:SHOWN_VALUES]) + more
        parts.append(f"{field.name} ({said})")
    return "; ".join(parts)


def _short(field: FieldValues) -> list[str]:
    return [value for value in field.values if len(value) <= LONGEST_VALUE]


def _range(field: FieldValues) -> str:
    dates = list(field.values)
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
