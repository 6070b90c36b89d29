"""PPTX: each slide a page, its title a heading, with its tables, charts and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from lxml import etree

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.package import (
    attribute,
    diagram_text,
    elements,
    office_about,
    open_office,
    parse_xml,
)
from core.corpora.rows import Grid, table_text
from core.errors import DocumentError


def load_pptx(name: str, data: bytes) -> list[Document]:
    """Return the text of a presentation, slide by slide. Hidden slides are read too; images are not."""
    with open_office(name, data, "ppt/presentation.xml", "a PowerPoint presentation (.pptx)") as archive:
        title, known = office_about(name, archive)
    import pptx  # takes a quarter of a second, which not every start of the app should cost

    try:
        presentation = pptx.Presentation(BytesIO(data))
    except (KeyError, ValueError) as error:
        raise DocumentError(
            f"“{name}” is a variant of PPTX that cannot be read. Save it as an ordinary presentation."
        ) from error
    builder = TextBuilder()
    for slide in presentation.slides:
        builder.page()
        heading = slide.shapes.title
        if heading is not None:
            builder.heading(heading.text_frame.text)
        for shape in _leaves(slide.shapes):
            if heading is None or shape.shape_id != heading.shape_id:
                builder.block(_text(shape))
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) and notes.text.strip():
            builder.block(f"Notes: {notes.text.strip()}")
    return [builder.build(name, data, title, known)]


def _leaves(shapes: Iterable[Any]) -> Iterator[Any]:
    # A stack of our own instead of recursion: groups may be nested deeper than Python's limit.
    stack = list(shapes)[::-1]
    while stack:
        shape = stack.pop()
        inner = getattr(shape, "shapes", None)
        if inner is None:
            yield shape
        else:
            stack.extend(list(inner)[::-1])


def _text(shape: Any) -> str:
    if getattr(shape, "has_table", False):
        return _table(shape.table)
    if getattr(shape, "has_chart", False):
        return _chart(shape)
    if (relation := next(elements(shape.element, "relIds"), None)) is not None:
        return _diagram(shape, relation)
    # A vertical tab is a line break within a paragraph.
    return shape.text_frame.text.replace("\v", "\n") if shape.has_text_frame else ""


def _table(table: Any) -> str:
    grid = Grid()
    for row in table.rows:
        cells = (cell for cell in row.cells if not cell.is_spanned)
        grid.add(
            (
                cell.text,
                cell.span_width if cell.is_merge_origin else 1,
                cell.span_height if cell.is_merge_origin else 1,
            )
            for cell in cells
        )
    return table_text(grid.rows, True if table.first_row else None)


def _diagram(shape: Any, relation: etree._Element) -> str:
    """Return the text of SmartArt, which is in a part of its own."""
    try:
        data = shape.part.related_part(attribute(relation, "dm")).blob
    except KeyError:
        return ""  # the diagram is missing in the file
    return diagram_text(parse_xml(shape.name, data))


def _chart(shape: Any) -> str:
    """Return the text of a chart; a chart of a kind that the library does not know is only named."""
    lines: list[str] = []
    try:
        lines.extend(_chart_lines(shape.chart))  # text read before an error is kept
    except (AttributeError, KeyError, NotImplementedError, TypeError, ValueError):
        lines.append(f"({shape.name}: a chart that cannot be read)")
    return "\n".join(lines)


def _chart_lines(chart: Any) -> Iterator[str]:
    if chart.has_title and chart.chart_title.has_text_frame:
        yield chart.chart_title.text_frame.text
    for plot in chart.plots:
        categories = [str(category) for category in plot.categories]
        for series in plot.series:
            values = ["" if value is None else f"{value:.15g}" for value in series.values]
            pairs = zip(categories, values, strict=False) if categories else (("", value) for value in values)
            points = ", ".join(f"{category} {value}".strip() for category, value in pairs)
            yield f"{series.name}: {points}"
