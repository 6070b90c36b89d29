"""Who held an office at some time, read from rows of a table, of which each stands as lines “column: value”."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.skills.composing.subjects import NAME, Fact, names
from core.skills.composing.values import dates_in
from core.trace.passages import Passage

_ASKED = re.compile(
    r"^Who (?:(?:was|is) (?:the )?(?P<office>.+?)|(?:led|ran|headed|directed) (?P<house>.+?)) (?:in|on) (?P<time>.+)\?$"
)
_LINE = re.compile(r"^\s*(?P<column>[\w ]{2,30}): (?P<value>\S.*)$")
_HOLDER = re.compile(r"^(?:holder|name|person|who|office holder|held by)$", re.IGNORECASE)
_FROM = re.compile(
    r"^(?:from|since|start|started|begin|beginning|appointed|elected|in office from)$", re.IGNORECASE
)
_UNTIL = re.compile(r"^(?:until|till|to|end|ended|left|in office until)$", re.IGNORECASE)


def office_holder(question: str, passages: Sequence[Passage]) -> Fact | None:
    """Who held an office in a year; None: no row says it, or several do, as in a year of change.

    Args:
        question: “Who was Mayor of Alm in 1921?”, “Who led the school in 1921?”.
        passages: All evidence.
    """
    asked = _ASKED.match(question)
    dates = dates_in(asked["time"]) if asked else []
    if not asked or not dates:
        return None
    office, when = asked["office"] or asked["house"], dates[0][2]
    found: dict[str, Fact] = {}
    for passage in passages:
        for text, row in _rows(passage.text):
            holder = next((value for column, value in row.items() if _HOLDER.match(column)), "")
            first, last = _year(row, _FROM), _year(row, _UNTIL)
            if not holder or first is None or not re.fullmatch(NAME, holder) or not names(office, text):
                continue
            if first <= when.first[0] and (last is None or when.last[0] <= last):
                found.setdefault(holder, Fact(holder, holder, text, passage.chunk))
    return next(iter(found.values())) if len(found) == 1 else None


def _rows(text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Each paragraph of lines “column: value”: its text, and its values by column."""
    for part in re.split(r"\n\s*\n", text):
        lines = [_LINE.match(line) for line in part.splitlines()]
        row = {line["column"].strip(): line["value"].strip() for line in lines if line}
        if len(row) >= 3:
            yield part.strip(), row


def _year(row: Mapping[str, str], column: re.Pattern[str]) -> int | None:
    value = next((value for name, value in row.items() if column.match(name)), "")
    dates = dates_in(value)
    return dates[0][2].first[0] if dates else None
