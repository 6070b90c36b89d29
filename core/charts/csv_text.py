"""Tables as CSV that a spreadsheet opens without taking anybody's text for a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO


def csv_text(head: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """The table with these column titles; a row is a text per title, and a missing one is left empty."""
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(map(_literal, head))
    writer.writerows([_literal(row.get(name, "")) for name in head] for row in rows)
    return text.getvalue()


def _literal(text: str) -> str:
    """A text that no spreadsheet takes for a formula; numbers stay numbers."""
    if not text.startswith(("=", "+", "-", "@", "\t", "\r")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
