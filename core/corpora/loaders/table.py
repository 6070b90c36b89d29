"""Tables such as CSV: each row a line of values behind the names of their columns."""

from __future__ import annotations

import csv
import re
from io import StringIO

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.corpora.rows import table_blocks
from core.errors import DocumentError

_DELIMITERS = ",;\t|"
_SAID = re.compile(r"sep=(.)(?:\r?\n|\r|\Z)", re.IGNORECASE)
MAX_FIELD = 2**25
"""Characters in one field; Python's own limit of 2**17 refuses real files."""


def load_table(name: str, data: bytes) -> list[Document]:
    """A table whose first row of several fields names the columns.

    Raises:
        DocumentError: It is not text, or not a table.
    """
    source = decode(name, data).lstrip("\ufeff")
    if said := _SAID.match(source):  # by Excel, for itself
        source, mark = source[said.end() :], said[1]
    else:
        mark = delimiter(source)
    csv.field_size_limit(MAX_FIELD)
    builder = TextBuilder()
    try:
        rows = csv.reader(StringIO(source, newline=""), delimiter=mark)
        for text in table_blocks(rows):
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
