"""DOCX: styles of its own, a running head, page numbers."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from tools.demo_world.package import undated
from tools.demo_world.written import (
    Block,
    Heading,
    ListItem,
    NewPage,
    Paragraph,
    Table,
    plain,
    runs,
    title_of,
)

_STYLES = {1: "Title", 2: "Heading 1", 3: "Heading 2"}
_SIZES = {"Normal": 11, "Title": 20, "Heading 1": 14, "Heading 2": 12}


def word(blocks: tuple[Block, ...]) -> bytes:
    """The document for Word; the same blocks give the same bytes."""
    document, title = docx.Document(), title_of(blocks)
    _look(document)
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Mm(26)
    section.different_first_page_header_footer = True
    section.header.paragraphs[0].add_run(title).font.size = Pt(8)
    for footer in (section.footer, section.first_page_footer):
        _page_number(footer.paragraphs[0])
    new_page = False
    for block in blocks:
        if isinstance(block, NewPage):
            new_page = True
            continue
        first = _add(document, block)
        if new_page and first is not None:
            first.paragraph_format.page_break_before = True
        new_page = False
    return undated(_saved(document, title))


def _add(document: Any, block: Block) -> Any:
    """The block's paragraph; None for a table."""
    if isinstance(block, Heading):
        return document.add_paragraph(plain(block.text), style=_STYLES[block.level])
    if isinstance(block, Table):
        table = document.add_table(len(block.rows), len(block.rows[0]), style="Light List")
        for row, cells in zip(table.rows, block.rows, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                _write(cell.paragraphs[0], text)
        document.add_paragraph()
        return None
    paragraph = document.add_paragraph()
    if isinstance(block, ListItem):
        # A list of Word's own would show the mark, but not have it in the text.
        _write(paragraph, f"{block.mark}\t{block.text}")
        look = paragraph.paragraph_format
        look.left_indent, look.first_line_indent = Mm(8), Mm(-8)
        look.tab_stops.add_tab_stop(Mm(8))
    else:
        assert isinstance(block, Paragraph)
        _write(paragraph, block.text)
    return paragraph


def _write(paragraph: Any, text: str) -> None:
    for piece, look in runs(text):
        run = paragraph.add_run(piece)
        run.bold, run.italic = look == "b" or None, look == "i" or None


def _look(document: Any) -> None:
    for name, size in _SIZES.items():
        style = document.styles[name]
        style.font.name, style.font.size = "Georgia" if name == "Normal" else "Arial", Pt(size)
        style.font.color.rgb = RGBColor(0x1B, 0x27, 0x33)
        if name != "Normal":
            # The template names fonts of its theme, which would win.
            fonts = style.element.rPr.rFonts
            for key in [key for key in fonts.attrib if "Theme" in key]:
                del fonts.attrib[key]
    document.styles["Normal"].paragraph_format.space_after = Pt(7)


def _page_number(paragraph: Any) -> None:
    paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    paragraph._p.append(field)


def _saved(document: Any, title: str) -> bytes:
    about = document.core_properties
    about.title, about.author, about.comments = title, "", ""
    out = BytesIO()
    document.save(out)
    return out.getvalue()
