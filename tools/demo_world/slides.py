"""PPTX: a slide for each page, its first heading as the slide's title."""

from __future__ import annotations

from copy import deepcopy
from io import BytesIO
from typing import Any

import pptx
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Mm, Pt

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

NOTES = "Notes: "
"""Begins a paragraph that becomes the speaker's notes of its slide."""
_TITLE_ONLY = 5
"""The library's layout with a title and nothing else."""
_INK = RGBColor(0x1B, 0x27, 0x33)  # type: ignore[no-untyped-call]
_QUIET = RGBColor(0x5C, 0x6A, 0x76)  # type: ignore[no-untyped-call]
_LEFT, _WIDTH, _TOP, _BOTTOM = Mm(18), Mm(218), Mm(44), Mm(168)
_LINE = Mm(10)
"""Height of a line or a row."""
_CHARACTERS = 68
"""About as many fit into a line."""


def slides(blocks: tuple[Block, ...]) -> bytes:
    """The presentation; the same blocks give the same bytes."""
    presentation, title = pptx.Presentation(), title_of(blocks)
    layout = presentation.slide_layouts[_TITLE_ONLY]
    pages = _pages(blocks)
    for page in pages:
        _slide(presentation.slides.add_slide(layout), page)
    _foot(presentation.slides[0], layout, title)
    about = presentation.core_properties
    about.title, about.author, about.last_modified_by = title, "", ""
    out = BytesIO()
    presentation.save(out)
    return undated(out.getvalue())


def _pages(blocks: tuple[Block, ...]) -> list[list[Block]]:
    pages: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, NewPage):
            pages.append([])
        else:
            pages[-1].append(block)
    return [page for page in pages if page]


def _slide(slide: Any, page: list[Block]) -> None:
    heading = page[0] if isinstance(page[0], Heading) else None
    shape = slide.shapes.title
    shape.left, shape.top, shape.width, shape.height = _LEFT, Mm(12), _WIDTH, Mm(26)
    shape.text_frame.text = plain(heading.text) if heading else ""
    shape.text_frame.vertical_anchor = MSO_ANCHOR.BOTTOM
    line = shape.text_frame.paragraphs[0]
    line.alignment = PP_ALIGN.LEFT
    line.font.size, line.font.bold, line.font.color.rgb = Pt(28), True, _INK
    top, waiting = int(_TOP), list[Block]()
    for block in page[1:] if heading else page:
        if isinstance(block, Paragraph) and block.text.startswith(NOTES):
            slide.notes_slide.notes_text_frame.text = plain(block.text.removeprefix(NOTES))
        elif isinstance(block, Table):
            top = _grid(slide, block, _texts(slide, waiting, top))
            waiting = []
        else:
            waiting.append(block)
    _texts(slide, waiting, top)


def _texts(slide: Any, blocks: list[Block], top: int) -> int:
    """Put paragraphs and items into one box; returns where the next one begins."""
    if not blocks:
        return top
    lines = sum(1 + len(_text(block)) // _CHARACTERS for block in blocks)
    height = min(int(_LINE * lines), max(_LINE, _BOTTOM - top))
    frame = slide.shapes.add_textbox(_LEFT, top, _WIDTH, height).text_frame
    frame.word_wrap = True
    for number, block in enumerate(blocks):
        line = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        line.space_after = Pt(6)
        for place, row in enumerate(_text(block).split("\n")):
            if place:
                line.add_line_break()
            for piece, look in runs(row):
                run = line.add_run()
                run.text = piece
                run.font.size, run.font.color.rgb = Pt(18), _INK
                run.font.bold = look == "b" or isinstance(block, Heading)
                run.font.italic = look == "i"
    return int(top + height + Mm(4))


def _text(block: Block) -> str:
    if isinstance(block, ListItem):
        return f"{block.mark} {block.text}"
    assert isinstance(block, Heading | Paragraph)
    return block.text


def _grid(slide: Any, table: Table, top: int) -> int:
    height = int(_LINE * len(table.rows))
    shape = slide.shapes.add_table(len(table.rows), len(table.rows[0]), _LEFT, top, _WIDTH, height)
    for row, cells in zip(shape.table.rows, table.rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text_frame.text = plain(text)
            cell.text_frame.paragraphs[0].font.size = Pt(14)
    return int(top + height + Mm(4))


def _foot(slide: Any, layout: Any, title: str) -> None:
    """Title and number of the slide below each: a part of the layout, since it is not what a slide says."""
    box = slide.shapes.add_textbox(_LEFT, Mm(178), _WIDTH, Mm(8))
    line = box.text_frame.paragraphs[0]
    line.text = title
    line.font.size, line.font.color.rgb = Pt(10), _QUIET
    layout.shapes._spTree.append(deepcopy(box._element))
    box._element.getparent().remove(box._element)
