"""DOCX: paragraphs, headings, tables, text boxes and notes in reading order.

Read from its XML itself, by names without their namespaces: that takes in the strict variant of the format, and
insertions, content controls, text boxes and formulas, which Word shows as text like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from zipfile import ZipFile

from lxml import etree

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.package import local_name, member_of, named, open_office, optional_part, parse_xml
from core.corpora.loaders.properties import properties

_MAIN_PART = "word/document.xml"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_LEFT_OUT = {"Fallback", "del", "moveFrom", "instrText", "delText", "pPr", "rPr", "tblPr", "trPr", "sectPr"}
"""Elements that repeat other text, deleted text, field codes and formats."""
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "den": "/", "sup": "^", "sub": "_"}
"""Elements that stand for a character; in formulas, what precedes a denominator, an exponent and an index."""


def load_docx(name: str, data: bytes) -> list[Document]:
    """The text of a Word document. A table's rows become lines with ` | ` between the cells.

    Raises:
        DocumentError: It is not a Word document, it is damaged, or it unpacks to more than 150 MB.
    """
    builder = TextBuilder()
    with open_office(name, data, _MAIN_PART, "a Word document (.docx)") as archive:
        styles = _headings(name, archive)
        _add(builder, parse_xml(name, member_of(name, archive, _MAIN_PART)), styles)
        for part in _NOTES:
            if (notes := optional_part(name, archive, part)) is not None:
                _add(builder, notes, styles)
        core = optional_part(name, archive, "docProps/core.xml")
    title = next((node.text for node in named(core, "title")), "")
    return [builder.build(name, data, title or "", properties(core))]


def _headings(name: str, archive: ZipFile) -> set[str]:
    """Ids of the paragraph styles that are headings. Their names are English in every language of Word."""
    styles = named(optional_part(name, archive, "word/styles.xml"), "style")
    return {
        _value(style, "styleId")
        for style in styles
        for node in style
        if local_name(node) == "name" and _value(node).lower().startswith(("heading", "title"))
    }


def _add(builder: TextBuilder, container: etree._Element, headings: set[str]) -> None:
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
                _add(builder, box, headings)
        elif kind == "tbl":
            builder.block("\n".join(_rows(node)))
        elif kind and kind not in _LEFT_OUT:
            _add(builder, node, headings)


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
        if kind == "txbxContent":
            yield child
        elif kind not in _LEFT_OUT:
            yield from _boxes(child)


def _rows(table: etree._Element) -> Iterator[str]:
    """A table's rows as lines. A cell merged with the one above repeats it, so that each row can stand alone."""
    above: dict[int, str] = {}
    for row in _below(table, "tr"):
        cells = []
        column = 0
        for cell in _below(row, "tc"):
            formats = {local_name(node): node for part in cell if local_name(part) == "tcPr" for node in part}
            merged = "vMerge" in formats and _value(formats["vMerge"]) != "restart"
            inner = TextBuilder()
            _add(inner, cell, set())
            text = above.get(column, "") if merged else " ".join(inner.build("", b"").text.split())
            cells.append(text)
            above[column] = text
            span = _value(formats["gridSpan"]) if "gridSpan" in formats else "1"
            column += int(span) if span.isdecimal() else 1
        yield " | ".join(cells)


def _below(node: etree._Element, wanted: str) -> Iterator[etree._Element]:
    """Rows of a table or cells of a row, also those within a content control or an insertion."""
    for child in node:
        kind = local_name(child)
        if kind == wanted:
            yield child
        elif kind not in _LEFT_OUT and kind not in {"tbl", "p"}:
            yield from _below(child, wanted)


def _style(paragraph: etree._Element) -> str:
    formats = [node for part in paragraph if local_name(part) == "pPr" for node in part]
    return next((_value(node) for node in formats if local_name(node) == "pStyle"), "")


def _value(node: etree._Element, wanted: str = "val") -> str:
    return next(
        (str(value) for key, value in node.attrib.items() if etree.QName(key).localname == wanted), ""
    )
