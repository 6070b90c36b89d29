"""PDF: A4, a running head, page numbers, headings in larger type."""

from __future__ import annotations

from io import BytesIO
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    KeepTogether,
    PageBreak,
    PageTemplate,
    Spacer,
)
from reportlab.platypus import Paragraph as Set

from tools.demo_world.written import (
    Block,
    Heading,
    ListItem,
    NewPage,
    Paragraph,
    Table,
    Unwritable,
    plain,
    runs,
    title_of,
)

_MARGIN = 26 * mm
_INK, _QUIET, _RULE = HexColor(0x1B2733), HexColor(0x5C6A76), HexColor(0xB7C1C9)
_CELL, _CELL_LEADING, _GAP = 9.5, 12, 3 * mm
"""Size and leading of the text in a table, and the space between its columns."""
_TAGS = {"b": "<b>{}</b>", "i": "<i>{}</i>", "": "{}"}

_BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=11, leading=15, spaceAfter=7, textColor=_INK, alignment=0
)
_ITEM = ParagraphStyle(
    "item",
    _BODY,
    leftIndent=7 * mm,
    bulletIndent=1 * mm,
    spaceAfter=4,
    bulletFontName="Times-Roman",
    bulletFontSize=11,
)
_HEADINGS = {
    1: ParagraphStyle("h1", _BODY, fontName="Helvetica-Bold", fontSize=20, leading=25, spaceAfter=14),
    2: ParagraphStyle(
        "h2", _BODY, fontName="Helvetica-Bold", fontSize=13, leading=17, spaceBefore=10, keepWithNext=1
    ),
    3: ParagraphStyle(
        "h3", _BODY, fontName="Helvetica-Bold", fontSize=11, leading=14, spaceBefore=6, keepWithNext=1
    ),
}


def pdf(blocks: tuple[Block, ...]) -> bytes:
    """The document as a PDF with a text layer; the same blocks give the same bytes.

    Raises:
        Unwritable: A character is not in the fonts that every reader of PDFs has.
    """
    out, title = BytesIO(), title_of(blocks)
    document = BaseDocTemplate(
        out,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=title,
        author="",
        invariant=1,  # no clock
        pageCompression=0,  # nor a library of compression, whose versions differ
    )
    # Head and number are drawn after the text, so that they stand behind it in the text layer.
    document.addPageTemplates(
        PageTemplate(
            "page",
            Frame(_MARGIN, _MARGIN, document.width, document.height, 0, 0, 0, 0),
            onPageEnd=lambda canvas, page: _edges(canvas, title, page.page),
        )
    )
    document.build([part for block in blocks for part in _flowables(block, document.width)])
    return out.getvalue()


def _flowables(block: Block, width: float) -> list[Flowable]:
    if isinstance(block, NewPage):
        return [PageBreak()]
    if isinstance(block, Heading):
        return [Set(_marked(block.text), _HEADINGS[block.level])]
    if isinstance(block, Table):
        widths = _widths(block, width)
        rows = [_Row(cells, widths, head=number == 0) for number, cells in enumerate(block.rows)]
        return [Spacer(0, 3), *rows, Spacer(0, 10)]
    if isinstance(block, ListItem):
        text = Set(_marked(block.text), _ITEM, bulletText=_checked(block.mark))
    else:
        assert isinstance(block, Paragraph)
        text = Set(_marked(block.text), _BODY)
    # A sentence that runs over a page would have head and number in its middle for whoever reads the text layer.
    return [KeepTogether([text])]


class _Row(Flowable):  # type: ignore[misc]  # the library has no types
    """A row of a table. The library's own table puts each cell on a line of its own in the text layer."""

    def __init__(self, cells: tuple[str, ...], widths: list[float], *, head: bool) -> None:
        super().__init__()
        self._font, self._head = "Times-Bold" if head else "Times-Roman", head
        self._widths = widths
        self._cells = [
            simpleSplit(_checked(plain(cell)), self._font, _CELL, width - _GAP)
            for cell, width in zip(cells, widths, strict=True)
        ]
        self.width, self.height = sum(widths), max(map(len, self._cells)) * _CELL_LEADING + 5
        self.keepWithNext = head

    def wrap(self, *_available: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        text, left = self.canv.beginText(), 0.0
        text.setFont(self._font, _CELL)
        text.setFillColor(_INK)
        for lines, width in zip(self._cells, self._widths, strict=True):
            for number, line in enumerate(lines):
                text.setTextOrigin(left, self.height - (number + 0.8) * _CELL_LEADING)
                text.textOut(line)
            left += width
        self.canv.drawText(text)
        self.canv.setStrokeColor(_INK if self._head else _RULE)
        self.canv.setLineWidth(0.8 if self._head else 0.3)
        self.canv.line(0, 1, self.width, 1)


def _widths(table: Table, width: float) -> list[float]:
    """Widths of the columns: by their longest texts, none much narrower than the others."""
    columns = zip(*table.rows, strict=True)
    longest = [min(40, max(8, *map(len, column))) for column in columns]
    return [width * one / sum(longest) for one in longest]


def _edges(canvas: Canvas, title: str, page: int) -> None:
    width, height = A4
    canvas.setFillColor(_QUIET)
    canvas.setStrokeColor(_RULE)
    canvas.setLineWidth(0.4)
    canvas.setFont("Helvetica", 8)
    if page > 1:
        canvas.line(_MARGIN, height - 18 * mm, width - _MARGIN, height - 18 * mm)
        canvas.drawString(_MARGIN, height - 16 * mm, title)
    canvas.drawCentredString(width / 2, 14 * mm, str(page))


def _marked(text: str) -> str:
    pieces = (_TAGS[look].format(escape(piece)) for piece, look in runs(_checked(text)))
    return "".join(pieces).replace("\n", "<br/>")


def _checked(text: str) -> str:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError as error:
        raise Unwritable(f"PDF has no “{text[error.start : error.end]}” (in “{text[:60]}”).") from None
    return text
