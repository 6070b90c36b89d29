"""CSV and TSV: each row a paragraph of `column: value` lines, which search and models read better."""

from __future__ import annotations

import csv
from io import StringIO

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.errors import DocumentError

_DELIMITERS = ",;\t|"
_MAX_FIELD = 2**25
"""Characters in one field; Python's own limit of 2**17 refuses real files."""


def load_table(name: str, data: bytes) -> list[Document]:
    """A table whose first row names the columns. Fields beyond the last named column get its number.

    Raises:
        DocumentError: It is not text, or not a table.
    """
    text = decode(name, data).lstrip("\ufeff")
    csv.field_size_limit(_MAX_FIELD)
    builder = TextBuilder()
    try:
        rows = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text))
        header = [column.strip() for column in next(rows, [])]
        for row in rows:
            builder.block(_paragraph(header, row))
    except csv.Error as error:
        raise DocumentError(f"“{name}” is not a readable table: {error}.") from error
    return [builder.build(name, data)]


def _delimiter(text: str) -> str:
    # csv.Sniffer takes quadratic time on some inputs and guesses letters. A delimiter is in every line, as a rule;
    # fields with line breaks are the exception, then the header decides.
    lines = [line for line in text[:10_000].split("\n")[:5] if line.strip()] or [""]
    return max(_DELIMITERS, key=lambda mark: (min(line.count(mark) for line in lines), lines[0].count(mark)))


def _paragraph(header: list[str], row: list[str]) -> str:
    lines = []
    for index, field in enumerate(row):
        if value := field.strip():
            column = header[index] if index < len(header) else ""
            lines.append(f"{column or f'column {index + 1}'}: {value}")
    return "\n".join(lines)
