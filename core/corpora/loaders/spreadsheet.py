"""XLSX: each sheet a heading, each row a line of values behind the names of their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, time
from io import BytesIO
from typing import Any

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.package import diagram_text, member_of, office_about, open_office, parse_xml
from core.corpora.rows import table_blocks
from core.errors import DocumentError

_DIAGRAM = re.compile(r"xl/diagrams/data\d*\.xml")
_MAX_ROWS = 2**20
"""Most rows in all sheets, empty ones included; Excel allows as many in one sheet."""
_MAX_CELLS = 5_000_000


def load_xlsx(name: str, data: bytes) -> list[Document]:
    """The values of a workbook, as they were when it was last saved. SmartArt comes last; charts, images and
    macros are left out.

    Raises:
        DocumentError: It is not such a workbook, or it is too large.
    """
    with open_office(name, data, "xl/workbook.xml", "an Excel workbook (.xlsx)") as archive:
        known = office_about(name, archive)
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
    return [builder.build(name, data, workbook.properties.title or "", known)]


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
