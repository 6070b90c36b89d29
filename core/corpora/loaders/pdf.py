"""PDF, as a reader reads it: paragraphs in order, over the ends of lines, columns and pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.corpora.about import About, about, words_of
from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.pdf_flow import PageText, write_pages
from core.corpora.loaders.pdf_forms import read_fields
from core.corpora.loaders.pdf_glyphs import Frame, read_frames
from core.corpora.loaders.pdf_lines import pieces
from core.corpora.loaders.pdf_outline import read_outline
from core.corpora.loaders.pdf_running import PageLines
from core.errors import DocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_EXPORT_TITLE = re.compile(
    r"(?i)^(untitled|\(anonymous\)|microsoft word - .*|.*\.(docx?|odt|tex|dvi|pdf|indd|pptx?))$"
)
"""Titles that word processors fill in by themselves."""
_LOCKED = {4, 5}
"""PDFium's errors of a file that needs a password, and of one whose encryption it does not know."""


def load_pdf(name: str, data: bytes) -> list[Document]:
    """The text layer of a PDF in reading order, with the offset of each page and each heading.

    Raises:
        DocumentError: It needs a password, or it has no text layer.
    """
    from pypdfium2 import PdfDocument, PdfiumError  # most processes read no PDF

    try:
        document = PdfDocument(data)  # files that only forbid printing or copying open without a password
    except PdfiumError as error:
        if error.err_code in _LOCKED:
            raise DocumentError(
                f"“{name}” is protected by a password. Save it without one and try again."
            ) from None
        raise
    try:
        document.init_forms()
        pages = [_page(document, number) for number in range(len(document))]
        if not any(page.body.pieces or page.beside for page in pages):
            raise DocumentError(
                f"“{name}” has no text layer: its pages are images. Run it through text recognition (OCR) first."
            )
        said = document.get_metadata_dict()
        title = "" if _EXPORT_TITLE.match(said["Title"].strip()) else said["Title"]
        builder = TextBuilder()
        write_pages(builder, pages, title, read_outline(document))
    finally:
        document.close()
    return [builder.build(name, data, title, _about(said))]


def _page(document: PdfDocument, number: int) -> PageText:
    from pypdfium2 import PdfiumError

    try:
        page = document[number]
    except PdfiumError:  # the others may be sound
        return PageText(PageLines([], (0, 0, 0, 0)), [])
    text = page.get_textpage()
    try:
        main, *others = read_frames(page, text) or [Frame([], (0, 0, 0, 0))]
        found = pieces(main.glyphs)
        found = sorted(
            [*found, *read_fields(page, found, main.glyphs)], key=lambda piece: (piece.y, piece.x0)
        )
        return PageText(PageLines(found, main.box), [pieces(frame.glyphs) for frame in others])
    finally:
        text.close()
        page.close()


def _about(said: Mapping[str, str]) -> About:
    fields = (("author", said["Author"]), ("created", said["CreationDate"]), ("subject", said["Subject"]))
    return about([*fields, *(("tags", word) for word in words_of(said["Keywords"]))])
