"""Rows of a table as paragraphs of `column: value` lines, which search and models read better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def paragraphs(rows: Iterable[Sequence[str]], *, keep_lone_header: bool = False) -> Iterator[str]:
    """A paragraph a row, after the row that names the columns; that row itself only if asked, where none follows.

    Single cells above that row are titles and notes, and stand as they are; so does all of a table of one column.
    Fields beyond the last named column get its number.
    """
    header: list[str] = []
    lone = False
    for row in rows:
        values = [value.strip() for value in row]
        if header:
            yield _paragraph(header, values)
            lone = lone and not any(values)
        elif sum(map(bool, values)) > 1:
            header = values
            lone = True
        else:
            yield "".join(values)
    if lone and keep_lone_header:
        yield " | ".join(filter(None, header))


def _paragraph(header: Sequence[str], row: Sequence[str]) -> str:
    lines = []
    for index, value in enumerate(row):
        if value:
            column = header[index] if index < len(header) else ""
            lines.append(f"{column or f'column {index + 1}'}: {value}")
    return "\n".join(lines)
