"""Tables such as CSV: each row a paragraph of `column: value` lines, which search and models read better."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.errors import DocumentError

_DELIMITERS = ",;\t|"
MAX_FIELD = 2**25
"""Characters in one field; Python's own limit of 2**17 refuses real files."""


def load_table(name: str, data: bytes) -> list[Document]:
    """A table whose first row of several fields names the columns.

    Raises:
        DocumentError: It is not text, or not a table.
    """
    source = decode(name, data).lstrip("\ufeff")
    csv.field_size_limit(MAX_FIELD)
    builder = TextBuilder()
    try:
        rows = csv.reader(StringIO(source, newline=""), delimiter=delimiter(source))
        for text in paragraphs(rows):
            builder.block(text)
    except csv.Error as error:
        raise DocumentError(f"“{name}” is not a readable table: {error}.") from error
    return [builder.build(name, data)]


def delimiter(text: str) -> str:
    """The delimiter of a table: the usual mark that occurs in all of its first lines."""
    # csv.Sniffer takes quadratic time on some inputs and guesses letters. A delimiter is in every line, as a rule;
    # fields with line breaks are the exception, then the header decides.
    lines = [line for line in text[:10_000].split("\n")[:5] if line.strip()] or [""]
    return max(_DELIMITERS, key=lambda mark: (min(line.count(mark) for line in lines), lines[0].count(mark)))


def paragraphs(rows: Iterable[Sequence[str]], *, keep_lone_header: bool = False) -> Iterator[str]:
    """One paragraph per row below the header; the header itself only on request, if no row follows.

    Single cells above the header are titles and notes, and are kept as they are, like a table of one column.
    Fields beyond the last named column get the number of their column.
    """
    filled = (row for row in ([value.strip() for value in row] for row in rows) if any(row))
    row = next(filled, None)
    while row is not None:
        following = next(filled, None)
        if _names_columns(row, following):
            break
        yield "".join(row)
        row = following
    if row is None:
        return
    if following is not None:
        yield _paragraph(row, following)
    elif keep_lone_header:
        yield " | ".join(filter(None, row))
    for values in filled:
        yield _paragraph(row, values)


def _names_columns(row: Sequence[str], following: Sequence[str] | None) -> bool:
    if sum(map(bool, row)) > 1:
        return True
    # Tables with numbered rows often leave the first name out; a title ends before the table below it does.
    return bool(following) and not row[0] and _width(row) == _width(following or row)


def _width(row: Sequence[str]) -> int:
    return max(index for index, value in enumerate(row, 1) if value)


def _paragraph(header: Sequence[str], row: Sequence[str]) -> str:
    lines = []
    for index, value in enumerate(row):
        if value:
            column = header[index] if index < len(header) else ""
            lines.append(f"{column or f'column {index + 1}'}: {value}")
    return "\n".join(lines)
