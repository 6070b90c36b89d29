"""CSV and TSV: each row a paragraph of `column: value` lines, which search and models read better."""

from __future__ import annotations

import csv
from io import StringIO

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.rows import paragraphs
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
