"""XLSX: each sheet a heading, each row a line of values behind the names of their columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, time
from io import BytesIO, StringIO
from typing import Any

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.package import diagram_text, member_of, office_about, open_office, parse_xml
from core.corpora.rows import table_blocks
from core.errors import DocumentError

_DIAGRAM = re.compile(r"xl/diagrams/data\d*\.xml")
_MAX_ROWS = 2**20
"""Most rows in all sheets, empty ones included; Excel allows as many in one sheet."""
_MAX_CELLS = 5_000_000


def load_xlsx(name: str, data: bytes) -> list[Document]:
    """Return the values of a workbook, as they were when it was last saved. SmartArt comes last; charts, images and
    macros are left out.
    """
    with open_office(name, data, "xl/workbook.xml", "an Excel workbook (.xlsx)") as archive:
        title, known = office_about(name, archive)
        parts = sorted(part for part in archive.namelist() if _DIAGRAM.fullmatch(part))
        diagrams = [diagram_text(parse_xml(name, member_of(name, archive, part))) for part in parts]
    import openpyxl  # takes a quarter of a second, which not every start of the app should cost

    workbook = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
    builder = TextBuilder()
    budget = _Budget(name)
    for sheet in workbook.worksheets:
        sheet.reset_dimensions()  # the size that the file announces may be wrong
        rows = ([_text(value) for value in row] for row in budget.of(sheet.iter_rows(values_only=True)))
        texts = table_blocks(rows, lone_header=True)
        for index, text in enumerate(texts):
            if index == 0:
                builder.heading(sheet.title)
            builder.block(text)
    for text in diagrams:
        builder.block(text)
    return [builder.build(name, data, title, known)]


class _Budget:
    """Counts rows and cells of all sheets."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows = self._cells = 0

    def of(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """Yield the same rows while counting them.

        Raises:
            DocumentError: There are more than a workbook may have.
        """
        for row in rows:
            self._rows += 1
            self._cells += len(row)
            if self._rows > _MAX_ROWS or self._cells > _MAX_CELLS:
                raise DocumentError(
                    f"“{self._name}” has more than {_MAX_ROWS:,} rows or {_MAX_CELLS:,} cells. "
                    "Split it, or save what is needed as CSV."
                )
            yield row


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value).strip()


# Tables such as CSV

_DELIMITERS = ",;\t|"
_SEPARATOR_LINE = re.compile(r"sep=(.)(?:\r?\n|\r|\Z)", re.IGNORECASE)
MAX_FIELD = 2**25
"""Characters in one field; Python's own limit of 2**17 refuses real files."""


def load_table(name: str, data: bytes) -> list[Document]:
    """Return a table whose first row of several fields names the columns."""
    source = decode(name, data).lstrip("\ufeff")
    if match := _SEPARATOR_LINE.match(source):  # by Excel, for itself
        source, mark = source[match.end() :], match[1]
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
    """Return the delimiter of a table: the usual mark that occurs in all of its first lines."""
    # csv.Sniffer takes quadratic time on some inputs and guesses letters. A delimiter is in every line, as a rule;
    # fields with line breaks are the exception, then the header decides.
    lines = [line for line in text[:10_000].split("\n")[:5] if line.strip()] or [""]
    return max(_DELIMITERS, key=lambda mark: (min(line.count(mark) for line in lines), lines[0].count(mark)))
