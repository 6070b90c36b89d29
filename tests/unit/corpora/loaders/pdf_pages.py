"""Small PDFs, written byte by byte, so that each holds one thing that a reader sees and a program may not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from core.corpora.documents import Document
from core.corpora.loaders import load

HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
WIDTH, HEIGHT = 595, 842


def pdf(
    *pages: bytes,
    font: bytes = HELVETICA,
    more: Mapping[int, bytes] | None = None,
    page: bytes = b"",
    catalog: bytes = b"",
) -> bytes:
    """A PDF of these pages' contents, with one font, /F1.

    Args:
        pages: Drawing instructions.
        font: Its dictionary.
        more: Further objects, with numbers from 10 on.
        page: Further entries of each page's dictionary.
        catalog: Further entries of the catalog.
    """
    numbers = [100 + 2 * index for index in range(len(pages))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
        2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        3: font,
        **(more or {}),
    }
    for number, content in zip(numbers, pages, strict=True):
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R %s >>" % (WIDTH, HEIGHT, number + 1, page)
        )
        objects[number + 1] = stream(content)
    out, table = bytearray(b"%PDF-1.7\n"), bytearray(b"xref\n0 1\n0000000000 65535 f \n")
    for number, body in objects.items():
        table += b"%d 1\n%010d 00000 n \n" % (number, len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    place = len(out)
    out += table + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        max(objects) + 1,
        place,
    )
    return bytes(out)


def stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def show(text: str, x: float, y: float, size: float = 11) -> bytes:
    """Draw a text at a place."""
    drawn = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"BT /F1 %g Tf %g %g Td (%s) Tj ET\n" % (size, x, y, drawn)


def lines(some: Iterable[str], x: float = 72, y: float = 760, lead: float = 14, size: float = 11) -> bytes:
    """Draw lines below each other."""
    return b"".join(show(line, x, y - lead * index, size) for index, line in enumerate(some))


def mapped(visual: Sequence[str]) -> tuple[bytes, bytes, dict[int, bytes]]:
    """Content, font and objects that draw glyphs from left to right; each stands for the text it is given with."""
    codes = {text: code for code, text in enumerate(dict.fromkeys(visual), 1)}
    rows = b"\n".join(
        b"<%02X> <%s>" % (code, text.encode("utf-16-be").hex().encode()) for text, code in codes.items()
    )
    table = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
        b"1 begincodespacerange <00> <FF> endcodespacerange %d beginbfchar\n%s\nendbfchar endcmap "
        b"CMapName currentdict /CMap defineresource pop end end" % (len(codes), rows)
    )
    font = (
        b"<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 1 /LastChar 255 /Widths [%s] "
        b"/ToUnicode 10 0 R >>" % b" ".join([b"500"] * 255)
    )
    drawn = b"".join(b"%02X" % codes[text] for text in visual)
    return b"BT /F1 12 Tf 72 700 Td <%s> Tj ET" % drawn, font, {10: stream(table)}


def read(data: bytes) -> Document:
    """The document in a PDF."""
    (document,) = load("file.pdf", data, 5)
    return document


def text_of(*pages: bytes) -> str:
    """The text of a PDF with these pages' contents."""
    return read(pdf(*pages)).text


def text_of_glyphs(visual: Sequence[str]) -> str:
    """The text of a PDF that draws these glyphs from left to right."""
    content, font, more = mapped(visual)
    return read(pdf(content, font=font, more=more)).text
