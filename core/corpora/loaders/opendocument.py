"""ODT: paragraphs, headings and tables in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.package import (
    attribute,
    local_name,
    member_of,
    open_package,
    optional_part,
    parse_xml,
    title_and_fields,
    whole_number,
)
from core.corpora.rows import Grid, table_text
from core.errors import DocumentError

_CONTENT = "content.xml"
_LEFT_OUT = frozenset(
    [
        "annotation",
        "tracked-changes",
        "sequence-decls",
        "scripts",
        "automatic-styles",
        "font-face-decls",
        "ruby-text",
    ]
)
_MAX_SPACES = 100
_MOST_REPEATED = 100
"""Times that an equal cell or row is repeated."""


def load_odt(name: str, data: bytes) -> list[Document]:
    """Return the text of an OpenDocument text. For its tables see `core.corpora.rows`."""
    with open_package(name, data, _CONTENT, "an OpenDocument text (.odt)") as archive:
        members = set(archive.namelist())
        if b"text" not in (member_of(name, archive, "mimetype") if "mimetype" in members else b"text"):
            raise DocumentError(f"“{name}” is another OpenDocument format, not a text (.odt).")
        manifest = "META-INF/manifest.xml"
        if manifest in members and b"encryption-data" in member_of(name, archive, manifest):
            raise DocumentError(f"“{name}” is protected by a password. Save it without one and try again.")
        root = parse_xml(name, member_of(name, archive, _CONTENT))
        meta = optional_part(name, archive, "meta.xml")
    builder = TextBuilder()
    _add(builder, root)
    return [builder.build(name, data, *title_and_fields(meta))]


def _add(builder: TextBuilder, root: etree._Element) -> None:
    line: list[str] = []
    # A stack of our own instead of recursion: documents may be nested deeper than Python's limit.
    stack: list[object] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            line.append(node)
        elif isinstance(node, tuple) and node[0] in {"p", "h"}:
            text = "\n".join(re.sub(" {2,}", " ", part) for part in "".join(line).split("\n"))
            line.clear()
            (builder.heading if node[0] == "h" else builder.block)(text)
        elif isinstance(node, etree._Element):
            kind = local_name(node)
            if kind in _LEFT_OUT or not kind:
                continue
            if kind == "table":
                builder.block(_table(node))
                continue
            if kind == "s":
                line.append(" " * min(_number(node, "c"), _MAX_SPACES))
            elif kind in {"tab", "line-break"}:
                line.append("\t" if kind == "tab" else "\n")
            stack.append((kind,))  # its end
            for child in reversed(node):
                if child.tail:
                    stack.append(_flat(child.tail))
                stack.append(child)
            if node.text:
                stack.append(_flat(node.text))


def _table(table: etree._Element) -> str:
    grid = Grid()
    named = False
    for row, in_header in _rows(table, False):
        named |= in_header
        cells = [
            _cell(cell) for cell in row if local_name(cell) == "table-cell" for _ in range(_repeated(cell))
        ]
        for _ in range(_repeated(row) if any(text for text, _, _ in cells) else 1):
            grid.add(cells)
    return table_text(grid.rows, named or None)


def _rows(table: etree._Element, in_header: bool) -> Iterator[tuple[etree._Element, bool]]:
    """Yield the rows of a table, and whether each repeats on every page as its header does."""
    for child in table:
        kind = local_name(child)
        if kind == "table-row":
            yield child, in_header
        elif kind in {"table-header-rows", "table-rows", "table-row-group"}:
            yield from _rows(child, in_header or kind == "table-header-rows")


def _cell(cell: etree._Element) -> tuple[str, int, int]:
    """Return a cell's text, and over how many columns and rows it reaches."""
    inner = TextBuilder()
    for part in cell:
        _add(inner, part)
    text = inner.build("", b"").text
    return text, _number(cell, "number-columns-spanned"), _number(cell, "number-rows-spanned")


def _repeated(node: etree._Element) -> int:
    return min(
        max(_number(node, "number-columns-repeated"), _number(node, "number-rows-repeated")), _MOST_REPEATED
    )


def _number(node: etree._Element, wanted: str) -> int:
    return whole_number(attribute(node, wanted), 1, digits=7)


def _flat(text: str) -> str:
    """Return the text with single blanks: the format has elements for any other white space."""
    words = " ".join(text.split())
    return (" " if text[0].isspace() else "") + words + (" " if words and text[-1].isspace() else "")
