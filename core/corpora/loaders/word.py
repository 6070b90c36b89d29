"""DOCX: paragraphs, headings, tables, text boxes and notes in reading order.

Read from its XML itself, by names without their namespaces: that takes in the strict variant of the format, and
insertions, content controls, text boxes and formulas, which Word shows as text like any other.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from zipfile import ZipFile

from lxml import etree

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.package import (
    attribute,
    diagram_text,
    elements,
    local_name,
    member_of,
    office_about,
    open_office,
    optional_part,
    parse_xml,
    whole_number,
)
from core.corpora.rows import Grid, table_text

_MAIN_PART = "word/document.xml"
_RELATIONS = "word/_rels/document.xml.rels"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_LEFT_OUT = frozenset(
    ["Fallback", "del", "moveFrom", "instrText", "delText", "pPr", "rPr", "tblPr", "trPr", "sectPr", "rt"]
)
"""Elements that repeat other text, deleted text, field codes, formats, and how a word is read (ruby)."""
_OFF = {"0", "false", "off"}
_MOST_COLUMNS = 63
"""Of a table in Word."""
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "den": "/", "sup": "^", "sub": "_"}
"""Elements that stand for a character; in formulas, what precedes a denominator, an exponent and an index."""

Diagrams = dict[str, str]


def load_docx(name: str, data: bytes) -> list[Document]:
    """Return the text of a Word document. For its tables see `core.corpora.rows`."""
    builder = TextBuilder()
    with open_office(name, data, _MAIN_PART, "a Word document (.docx)") as archive:
        styles, diagrams = _headings(name, archive), _diagrams(name, archive)
        _add(builder, parse_xml(name, member_of(name, archive, _MAIN_PART)), styles, diagrams)
        for part in _NOTES:
            if (notes := optional_part(name, archive, part)) is not None:
                _add(builder, notes, styles, {})
        title, known = office_about(name, archive)
    return [builder.build(name, data, title, known)]


def _headings(name: str, archive: ZipFile) -> set[str]:
    """Return the ids of the paragraph styles that are headings. Their names are English in every language of Word."""
    styles = elements(optional_part(name, archive, "word/styles.xml"), "style")
    return {
        attribute(style, "styleId")
        for style in styles
        for node in style
        if local_name(node) == "name" and attribute(node, "val").lower().startswith(("heading", "title"))
    }


def _diagrams(name: str, archive: ZipFile) -> Diagrams:
    """Return the text of each SmartArt diagram, by the id that the main part has for it."""
    texts: Diagrams = {}
    for relation in elements(optional_part(name, archive, _RELATIONS), "Relationship"):
        if relation.get("Type", "").endswith("/diagramData"):
            path = posixpath.normpath(posixpath.join("word", relation.get("Target", ""))).lstrip("/")
            if (part := optional_part(name, archive, path)) is not None:
                texts[relation.get("Id", "")] = diagram_text(part)
    return texts


def _add(builder: TextBuilder, container: etree._Element, headings: set[str], diagrams: Diagrams) -> None:
    # Recursion is bounded: the XML parser refuses elements nested deeper than 256.
    for node in container:
        kind = local_name(node)
        if kind == "p":
            text = "".join(_texts(node))
            if _style(node) in headings:
                builder.heading(text)
            else:
                builder.block(text)
            for box in _boxes(node):
                if local_name(box) == "relIds":
                    builder.block(diagrams.get(attribute(box, "dm"), ""))
                else:
                    _add(builder, box, headings, diagrams)
        elif kind == "tbl":
            builder.block(_table(node, diagrams))
        elif kind and kind not in _LEFT_OUT:
            _add(builder, node, headings, diagrams)


def _texts(node: etree._Element) -> Iterator[str]:
    for child in node:
        kind = local_name(child)
        if kind in _LEFT_OUT or kind == "txbxContent":
            continue
        if kind == "t":
            # An invisible sign between a function and its argument.
            yield (child.text or "").replace("\u2061", " ")
        elif kind in _MARKS:
            yield _MARKS[kind]
        yield from _texts(child)


def _boxes(node: etree._Element) -> Iterator[etree._Element]:
    for child in node:
        kind = local_name(child)
        if kind in {"txbxContent", "relIds"}:
            yield child
        elif kind not in _LEFT_OUT:
            yield from _boxes(child)


def _table(table: etree._Element, diagrams: Diagrams) -> str:
    """Return a table's text. A cell merged with the one above repeats it, so that each row can stand alone."""
    grid = Grid()
    marked = False
    for row in _below(table, "tr"):
        formats = _formats(row, "trPr")
        marked |= (
            not grid.rows and "tblHeader" in formats and attribute(formats["tblHeader"], "val") not in _OFF
        )
        grid.add(
            [
                *[("", 1, 1)] * min(_number(formats.get("gridBefore"), 0), _MOST_COLUMNS),
                *(_cell(cell, diagrams) for cell in _below(row, "tc")),
            ]
        )
    look = _formats(table, "tblPr").get("tblLook")
    plain = look is not None and attribute(look, "firstRow") in _OFF
    return table_text(grid.rows, True if marked else False if plain else None)


def _cell(cell: etree._Element, diagrams: Diagrams) -> tuple[str | None, int, int]:
    formats = _formats(cell, "tcPr")
    merged = "vMerge" in formats and attribute(formats["vMerge"], "val") != "restart"
    inner = TextBuilder()
    _add(inner, cell, set(), diagrams)
    return None if merged else inner.build("", b"").text, _number(formats.get("gridSpan"), 1), 1


def _formats(node: etree._Element, part: str) -> dict[str, etree._Element]:
    return {local_name(element): element for child in node if local_name(child) == part for element in child}


def _number(node: etree._Element | None, usual: int) -> int:
    return usual if node is None else whole_number(attribute(node, "val"), usual)


def _below(node: etree._Element, wanted: str) -> Iterator[etree._Element]:
    """Yield the rows of a table or cells of a row, also those within a content control or an insertion."""
    for child in node:
        kind = local_name(child)
        if kind == wanted:
            yield child
        elif kind not in _LEFT_OUT and kind not in {"tbl", "p"}:
            yield from _below(child, wanted)


def _style(paragraph: etree._Element) -> str:
    formats = [node for part in paragraph if local_name(part) == "pPr" for node in part]
    return next((attribute(node, "val") for node in formats if local_name(node) == "pStyle"), "")
