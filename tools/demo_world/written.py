"""A written document: a small part of Markdown, read into blocks.

The first line is `# Title`. `##` and `###` are headings, `- ` and `1. ` or `(a) ` begin items, lines with `|` are a
table whose first row is its head, `---` alone begins a page. Lines of a paragraph are joined; a backslash at the end of
a line keeps the break. `**bold**` and `*italic*` may be used within a paragraph, an item or a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A heading."""

    text: str
    level: int
    """1: the title of the document; 2 and 3 below it."""


@dataclass(frozen=True)
class Paragraph:
    """Running text; a line feed is a break that stays."""

    text: str


@dataclass(frozen=True)
class ListItem:
    """One item of a list."""

    mark: str
    """Its number or letter as it is written, a dash where it has none."""
    text: str


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first row is the head. All rows have the same length."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class NewPage:
    """What follows begins a page or a slide."""


Block = Heading | Paragraph | ListItem | Table | NewPage
Run = tuple[str, str]
"""Text, and how it is set: "", "b" or "i"."""

BULLET = "–"
"""Core fonts of PDF have a dot too, but readers of their text take it for something else."""
_HEADING = re.compile(r"(#{1,3}) +(.+)")
_ITEM = re.compile(r"(-|\(?(?:\d{1,2}|[a-z])[.)]) +(.+)")
_RULE = re.compile(r"[\s|:-]+")
_INLINE = re.compile(r"\*\*(?P<b>[^*]+)\*\*|\*(?P<i>[^*\s](?:[^*]*[^*\s])?)\*")


class Unwritable(ValueError):
    """A written document has a line that is not understood."""


def read_written(text: str) -> tuple[Block, ...]:
    """The blocks of a written document, in order; the first is its title.

    Raises:
        Unwritable: It does not begin with a title, or a table is uneven.
    """
    blocks = tuple(_blocks(text.splitlines()))
    titles = [block for block in blocks if isinstance(block, Heading) and block.level == 1]
    if not blocks or blocks[0] not in titles or len(titles) != 1:
        raise Unwritable("It must begin with “# Title” and have no other heading of that level.")
    return blocks


def title_of(blocks: tuple[Block, ...]) -> str:
    """The title of a document."""
    first = blocks[0]
    assert isinstance(first, Heading)
    return plain(first.text)


def runs(text: str) -> Iterator[Run]:
    """The pieces of a text that are set alike."""
    done = 0
    for match in _INLINE.finditer(text):
        if match.start() > done:
            yield text[done : match.start()], ""
        yield (match["b"], "b") if match["b"] else (match["i"], "i")
        done = match.end()
    if done < len(text):
        yield text[done:], ""


def plain(text: str) -> str:
    """A text without the marks of bold and italic."""
    return "".join(piece for piece, _ in runs(text))


def words_of(blocks: tuple[Block, ...]) -> list[str]:
    """Every word that a reader sees, in order, marks of lists included."""
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, Table):
            texts += [cell for row in block.rows for cell in row]
        elif isinstance(block, ListItem):
            texts += [block.mark, block.text]
        elif not isinstance(block, NewPage):
            texts.append(block.text)
    return " ".join(map(plain, texts)).split()


def _blocks(lines: list[str]) -> Iterator[Block]:
    waiting: list[str] = []
    for line in [*lines, ""]:
        line = line.rstrip()
        alone = not line or line == "---" or _HEADING.fullmatch(line) is not None
        if waiting and (alone or (_starts_anew(line, waiting))):
            yield _block(waiting)
            waiting = []
        if line == "---":
            yield NewPage()
        elif heading := _HEADING.fullmatch(line):
            yield Heading(heading[2].strip(), len(heading[1]))
        elif line:
            waiting.append(line.strip())


def _starts_anew(line: str, waiting: list[str]) -> bool:
    """Whether a line begins another block: an item after an item, a table, or text after a table."""
    if _ITEM.match(line) and (_ITEM.match(waiting[0]) or line.startswith("- ")):
        return True
    return line.startswith("|") != waiting[0].startswith("|")


def _block(lines: list[str]) -> Block:
    if lines[0].startswith("|"):
        rows = [
            tuple(cell.strip() for cell in line.strip("|").split("|"))
            for line in lines
            if not _RULE.fullmatch(line)
        ]
        if len({len(row) for row in rows}) != 1:
            raise Unwritable(f"The rows of the table that begins with “{lines[0]}” have different lengths.")
        return Table(tuple(rows))
    text = "".join(f"{line[:-1].rstrip()}\n" if line.endswith("\\") else f"{line} " for line in lines).strip()
    if item := _ITEM.fullmatch(text.replace("\n", " ")):
        return ListItem(BULLET if item[1] == "-" else item[1], item[2])
    return Paragraph(text)
