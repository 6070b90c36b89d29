"""PDF, as a reader reads it: paragraphs in order, over the ends of lines, columns and pages."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.corpora.documents import About, Document, TextBuilder, about, words_of
from core.corpora.loaders.pdf_flow import PageText, read_outline, write_pages
from core.corpora.loaders.pdf_glyphs import Frame, Glyph, read_frames
from core.corpora.loaders.pdf_lines import Line, pieces
from core.corpora.loaders.pdf_running import PageLines
from core.corpora.loaders.pdf_words import plain
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
    """Return the text layer of a PDF in reading order, with the offset of each page and each heading."""
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
        read = [_page(document, number) for number in range(len(document))]
        if not any(read):
            raise DocumentError(
                f"“{name}” is damaged: none of its pages can be read. Save it again with the program it is from."
            )
        pages = [page or PageText(PageLines([], (0, 0, 0, 0)), []) for page in read]
        if not any(page.body.pieces or page.beside for page in pages):
            raise DocumentError(
                f"“{name}” has no text layer: its pages are images. Run it through text recognition (OCR) first."
            )
        metadata = document.get_metadata_dict()
        title = "" if _EXPORT_TITLE.match(metadata["Title"].strip()) else metadata["Title"]
        builder = TextBuilder()
        write_pages(builder, pages, title, read_outline(document))
    finally:
        document.close()
    return [builder.build(name, data, title, _about(metadata))]


def _page(document: PdfDocument, number: int) -> PageText | None:
    """Return the lines of a page; None where it is damaged: the others may be sound."""
    from pypdfium2 import PdfiumError

    try:
        page = document[number]
        text = page.get_textpage()
    except PdfiumError:
        return None
    try:
        main, *others = read_frames(page, text) or [Frame([], (0, 0, 0, 0))]
        lines = pieces(main.glyphs)
        lines += _read_fields(page, lines, main.glyphs)
        lines.sort(key=lambda piece: (piece.y, piece.x0))
        return PageText(PageLines(lines, main.box), [pieces(frame.glyphs) for frame in others])
    finally:
        text.close()
        page.close()


def _about(metadata: Mapping[str, str]) -> About:
    names = (("author", "Author"), ("created", "CreationDate"), ("subject", "Subject"))
    fields = [(field, metadata[name]) for field, name in names]
    return about([*fields, *(("tags", word) for word in words_of(metadata["Keywords"]))])


# Values of the fields of a form, and text typed over a page, where a reader sees them

_HIDDEN = 1 << 1 | 1 << 5
"""Flags of an annotation that is not shown."""
_PASSWORD = 1 << 13
"""Flag of a field whose value is shown as stars."""
_MOST_FIELDS = 2000
"""Of a page."""
_NO_NAME = re.compile(r"(?i)on|off|yes|no|ja|oui|true|\d*")
"""Values of a checked box that say no more than that it is checked."""


def _read_fields(page: Any, pieces: Sequence[Line], glyphs: Sequence[Glyph]) -> list[Line]:
    """Return the values of a page's form fields as lines, each beside the text on its left.

    A value that is drawn as a part of the page already is left out. The forms of its document are initialised.
    """
    import pypdfium2.raw as pdfium

    lines: list[Line] = []
    if not page.formenv:
        return lines
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MOST_FIELDS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            if not pdfium.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
                value, box = _value(pdfium, page.formenv, annotation), pdfium.FS_RECTF()
                if value and pdfium.FPDFAnnot_GetRect(annotation, box):
                    lines += _placed(value, (box.left, -box.top, box.right, -box.bottom), pieces, glyphs)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    return lines


def _value(pdfium: Any, form: Any, annotation: Any) -> str:
    """Return the text that a field shows."""
    subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
    if subtype == pdfium.FPDF_ANNOT_FREETEXT:
        return _string(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")
    if subtype != pdfium.FPDF_ANNOT_WIDGET:
        return ""
    match pdfium.FPDFAnnot_GetFormFieldType(form, annotation):
        case pdfium.FPDF_FORMFIELD_TEXTFIELD:
            if pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
                return ""
            return _string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
        case pdfium.FPDF_FORMFIELD_COMBOBOX | pdfium.FPDF_FORMFIELD_LISTBOX:
            return "\n".join(_chosen(pdfium, form, annotation)) or _string(
                pdfium.FPDFAnnot_GetFormFieldValue, form, annotation
            )
        case pdfium.FPDF_FORMFIELD_CHECKBOX | pdfium.FPDF_FORMFIELD_RADIOBUTTON:
            if not pdfium.FPDFAnnot_IsChecked(form, annotation):
                return "[ ]"
            name = _string(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation)
            return "[x]" if _NO_NAME.fullmatch(name) else f"[x] {name}"
    return ""


def _chosen(pdfium: Any, form: Any, annotation: Any) -> Iterator[str]:
    for option in range(min(pdfium.FPDFAnnot_GetOptionCount(form, annotation), _MOST_FIELDS)):
        if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, option):
            yield _string(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, option)


def _string(read: Callable[..., int], *arguments: Any) -> str:
    """Return a text that PDFium copies into a buffer, whose size it says first."""
    size = read(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size)
    read(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")


def _placed(
    value: str, box: tuple[float, float, float, float], pieces: Sequence[Line], glyphs: Sequence[Glyph]
) -> Iterator[Line]:
    left, top, right, bottom = box
    inside = [
        glyph.text
        for glyph in glyphs
        if left - 2 <= (glyph.x0 + glyph.x1) / 2 <= right + 2
        and top - 2 <= glyph.y - glyph.size / 3 <= bottom + 2
    ]
    if _letters(value) and _letters(value) in _letters("".join(inside)):
        return
    beside = [
        piece
        for piece in pieces
        if top - 2 <= piece.y <= bottom + 2 and not (piece.x0 < (left + right) / 2 < piece.x1)
    ]
    label = min(beside, key=lambda piece: min(abs(piece.x1 - left), abs(piece.x0 - right)), default=None)
    if value.startswith("[x] ") and any(_letters(value[4:]) in _letters(piece.text) for piece in beside):
        value = "[x]"  # the label says its name
    size = min(label.size if label else 11.0, max(4.0, bottom - top))
    y = label.y if label else min(bottom - 0.25 * size, top + 1.1 * size)
    for text in filter(None, map(plain, value.splitlines())):
        yield Line(text, left, min(right, left + 0.5 * size * len(text)), y, size)
        y += 1.2 * size


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, plain(text).casefold()))
