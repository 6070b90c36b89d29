"""The text of a page's elements in reading order: paragraphs, headings, code as it was typed, and tables of data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from textwrap import dedent

from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from core.corpora.documents import TextBuilder
from core.corpora.loaders.package import whole_number
from core.corpora.rows import Grid, table_text

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = _HEADINGS | {
    *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt"),
    *("figcaption", "figure", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section", "summary"),
    *("table", "tbody", "tfoot", "thead", "tr", "ul", "td", "th", "footer", "form", "fieldset", "legend"),
    *("center", "menu", "dialog", "option"),
}
_TYPED = {"pre", "textarea", "listing", "xmp"}
"""Elements in which line ends and blanks count."""
_CODE = {"code", "samp", "kbd", "tt"}
_MAY_KEEP = _CODE | {"div", "p"}
_CELLS = {"td", "th"}
_KEEPS_BLANKS = re.compile(r"white-space(?:-collapse)?\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_IS_BLOCK = re.compile(r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table-row|list-item)\b", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_NO_DATA = _HEADINGS | {"pre", "table"}
"""Elements that no cell of data holds: a table with one of them in a cell only lays out the page."""
_LONGEST_CELL = 1500
"""Characters; a longer cell is a column of text."""


def read_page(builder: TextBuilder, page: Tag) -> None:
    """Add the text of a page to a document."""
    _Reader(_marks(page)).read(builder, page)


@dataclass
class _Marks:
    """Python ids of a page's elements that are read in their own way."""

    layouts: set[int] = field(default_factory=set)
    """Tables that lay out the page."""
    typed: set[int] = field(default_factory=set)
    """Elements in which line ends and blanks count by their style."""
    listings: set[int] = field(default_factory=set)
    """Code with `br` at its line ends, and blanks that do not break as its indentation."""


class _Reader:
    """Walks through a page."""

    def __init__(self, marks: _Marks) -> None:
        self._marks = marks
        self._line: list[str] = []
        self._heading = self._typed = self._ruby = 0
        self._listing = False

    def read(self, builder: TextBuilder, page: Tag) -> None:
        """Add the text of an element to a document."""
        # A stack of our own instead of recursion: pages may be nested deeper than Python's limit.
        stack: list[PageElement | str] = [page]
        while stack:
            node = stack.pop()
            if isinstance(node, Tag):
                end = self._enter(builder, node)
                if end == "table":
                    continue
                if end:
                    stack.append(end)
                stack.extend(reversed(node.contents))
            elif isinstance(node, NavigableString):
                if not isinstance(node, PreformattedString):
                    self._line.append(self._text(node))
            elif isinstance(node, str):
                self._leave(builder, node)
        self._flush(builder)

    def _enter(self, builder: TextBuilder, tag: Tag) -> str:
        """Begin an element; what is to be done at its end."""
        name = tag.name
        if name == "br":
            self._line.append("\n")
        elif name == "ruby":
            self._ruby += 1
            return "ruby"
        elif self._typed:
            if name in _BLOCKS or _IS_BLOCK.search(str(tag.get("style") or "")):
                self._end_line()
                return "line"
        elif name in _TYPED or id(tag) in self._marks.typed | self._marks.listings:
            self._flush(builder)
            self._typed, self._listing = 1, id(tag) in self._marks.listings
            return "typed"
        elif name == "table" and id(tag) not in self._marks.layouts:
            self._flush(builder)
            self._add_table(builder, tag)
            return "table"
        elif name in _BLOCKS:
            self._flush(builder)
            self._heading += name in _HEADINGS
            return "heading" if name in _HEADINGS else "block"
        return ""

    def _leave(self, builder: TextBuilder, end: str) -> None:
        if end == "ruby":
            self._ruby -= 1
        elif end == "line":
            self._end_line()
        else:
            self._flush(builder)
            self._heading -= end == "heading"
            if end == "typed":
                self._typed, self._listing = 0, False

    def _end_line(self) -> None:
        if self._line and not self._line[-1].endswith("\n"):
            self._line.append("\n")

    def _text(self, node: NavigableString) -> str:
        if self._typed and not self._listing:
            return str(node)
        if self._ruby and ("\n" in node or not node.strip()):
            return node.strip()  # blanks of the source between the characters of a word
        return _BLANKS.sub(" ", node)

    def _flush(self, builder: TextBuilder) -> None:
        text = "".join(self._line)
        self._line.clear()
        if self._typed:
            text = re.sub(r" ?\n ?", "\n", text) if self._listing else text
            builder.block(dedent(text.replace("\xa0", " ")))
            return
        text = re.sub(r"[^\S\n]+", " ", text)
        if self._heading:
            builder.heading(text)
        else:
            builder.block(re.sub(r" ?\n ?", "\n", text))

    def _add_table(self, builder: TextBuilder, table: Tag) -> None:
        grid, kinds = Grid(), list[str]()
        for caption in table("caption", limit=1):
            builder.block(self._words(caption))
        for row in table("tr"):
            cells = [cell for cell in row.contents if isinstance(cell, Tag) and cell.name in _CELLS]
            words = [self._words(cell) for cell in cells]
            spans = ((_span(cell, "colspan"), _span(cell, "rowspan")) for cell in cells)
            grid.add((text, *reach) for text, reach in zip(words, spans, strict=True))
            if len(cells) > 1:
                kinds.append(
                    "".join(
                        cell.name[1] if text.strip() else " " for cell, text in zip(cells, words, strict=True)
                    )
                )
        head = table.find("thead")
        named = True if isinstance(head, Tag) and head.find(list(_CELLS)) else _named(kinds)
        builder.block(table_text(grid.rows, named))

    def _words(self, tag: Tag) -> str:
        if not tag.contents or (len(tag.contents) == 1 and type(tag.contents[0]) is NavigableString):
            return tag.get_text()  # as most cells are
        inner = TextBuilder()
        _Reader(self._marks).read(inner, tag)
        return inner.build("", b"").text


def _named(kinds: list[str]) -> bool | None:
    """Return True if the first row of a table names its columns, False if not, None if no `th` says so. `kinds` has a
    text for each row of several cells: h for a `th`, d for a `td`, a blank for an empty cell."""
    if not any("h" in row for row in kinds):
        return None
    return set(kinds[0]) <= {"h", " "}


def _span(cell: Tag, attribute: str) -> int:
    return whole_number(str(cell.get(attribute) or "").strip(), 1)


@dataclass
class _TableMeasures:
    """A table while its cells are looked through."""

    lays_out: bool
    columns: int = 0
    most_columns: int = 0
    inside: str = ""
    length: int = 0

    def begin(self, tag: Tag) -> None:
        self.lays_out |= tag.name in _NO_DATA
        if tag.name == "tr":
            self.columns = 0
        elif tag.name in _CELLS:
            self.inside, self.length = tag.name, 0
            self.columns += 1
            self.most_columns = max(self.columns, self.most_columns)
            self.lays_out |= tag.parent is None or tag.parent.name != "tr"
        elif tag.name == "caption":
            self.inside = "caption"

    def read(self, text: str) -> None:
        self.length += len(text)
        if self.inside in _CELLS:
            self.lays_out |= self.length > _LONGEST_CELL
        elif not self.inside and text.strip():
            self.lays_out = True  # a text beside the cells


def _marks(page: Tag) -> _Marks:
    """Mark the tables for layout, the preformatted text and the code of a page, in a pass of its own, since an
    element shows what it is only at its end."""
    marks = _Marks()
    tables, styled, codes = list[_TableMeasures](), list[int](), list[int]()
    stack: list[PageElement | tuple[Tag]] = [page]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            _end(node[0], marks, tables, styled, codes)
        elif isinstance(node, Tag):
            name = node.name
            if name in _BLOCKS - {"div"}:  # it is more than code
                marks.typed.difference_update(styled)
                styled.clear()
            if tables:
                tables[-1].begin(node)
            if name == "table":
                tables.append(_TableMeasures(lays_out=node.get("role") in ("presentation", "none")))
            elif name in _CODE:
                codes.append(id(node))
            elif name == "br" and codes:
                marks.listings.add(codes[-1])
            keeps = name in _MAY_KEEP and _KEEPS_BLANKS.search(str(node.get("style") or ""))
            if keeps:
                styled.append(id(node))
                marks.typed.add(id(node))
            if keeps or name in _CODE or name in _CELLS or name in {"table", "caption"}:
                stack.append((node,))
            stack.extend(reversed(node.contents))
        elif isinstance(node, NavigableString) and tables and not isinstance(node, PreformattedString):
            tables[-1].read(node)
    return marks


def _end(tag: Tag, marks: _Marks, tables: list[_TableMeasures], styled: list[int], codes: list[int]) -> None:
    if styled and styled[-1] == id(tag):
        styled.pop()
    if tag.name in _CODE:
        codes.pop()
    elif tag.name == "table":
        table = tables.pop()
        if table.lays_out or table.most_columns < 2:
            marks.layouts.add(id(tag))
    elif tables:
        tables[-1].inside = ""
