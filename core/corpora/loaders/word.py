"""DOCX: paragraphs, headings and tables in reading order."""

from __future__ import annotations

from io import BytesIO
from zipfile import BadZipFile, ZipFile

import docx
from docx.table import Table

from core.corpora.documents import Document, TextBuilder
from core.errors import DocumentError

_MAX_UNPACKED = 150 * 2**20
"""Bytes. A document of the largest size accepted unpacks to far less; a zip bomb to far more."""
_MAIN_PART = "word/document.xml"


def load_docx(name: str, data: bytes) -> list[Document]:
    """The text of a Word document. A table's rows become lines with ` | ` between the cells.

    Raises:
        DocumentError: It is not a Word document, or it unpacks to more than 150 MB.
    """
    try:
        with ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
    except BadZipFile:
        raise DocumentError(f"“{name}” is damaged: it cannot be unpacked.") from None
    # The directory's sizes can be trusted for this: zipfile never reads past the size announced there.
    if sum(member.file_size for member in members) > _MAX_UNPACKED:
        raise DocumentError(f"“{name}” unpacks to more than {_MAX_UNPACKED // 2**20} MB and is refused.")
    if _MAIN_PART not in {member.filename for member in members}:
        raise DocumentError(f"“{name}” is an archive or another Office format, not a Word document (.docx).")
    try:
        document = docx.Document(BytesIO(data))
    except (KeyError, ValueError) as error:
        raise DocumentError(
            f"“{name}” is a variant of DOCX that cannot be read. Save it as an ordinary Word document."
        ) from error
    builder = TextBuilder()
    for item in document.iter_inner_content():
        if isinstance(item, Table):
            builder.block("\n".join(_row(row) for row in item.rows))
        elif ((item.style and item.style.name) or "").startswith(("Heading", "Title")):
            builder.heading(item.text)
        else:
            builder.block(item.text)
    return [builder.build(name, data, document.core_properties.title or "")]


def _row(row: docx.table._Row) -> str:
    # A merged cell is listed once for each column it spans.
    cells = dict.fromkeys(cell._tc for cell in row.cells)
    texts = {cell._tc: " ".join(cell.text.split()) for cell in row.cells}
    return " | ".join(texts[cell] for cell in cells)
