"""DOCX: paragraphs, headings and tables in reading order."""

from __future__ import annotations

from io import BytesIO

import docx
from docx.table import Table

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.package import check_office_parts, open_package
from core.errors import DocumentError

_MAIN_PART = "word/document.xml"


def load_docx(name: str, data: bytes) -> list[Document]:
    """The text of a Word document. A table's rows become lines with ` | ` between the cells.

    Raises:
        DocumentError: It is not a Word document, or it unpacks to more than 150 MB.
    """
    with open_package(name, data, _MAIN_PART, "a Word document (.docx)") as archive:
        check_office_parts(name, archive)
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
