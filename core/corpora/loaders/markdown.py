"""Markdown: kept as written but for its tables, with its headings noted; its front matter is no text, but says what the
document is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.corpora.about import about, plain
from core.corpora.documents import Document, clean, document_id, without_files
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.front_matter import front_matter
from core.corpora.rows import table_text

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING = re.compile(r"(?<![ \t])[ \t]+#+[ \t]*$")
"""The signs behind a heading."""
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULER = re.compile(r" {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*")
"""Parts the header of a table from its rows."""
_BAR = re.compile(r"(?<!\\)\|")
_INDENTED = re.compile(r" {4}|\t")
_OTHER_BLOCK = re.compile(r" {0,3}(?:#{1,6}[ \t]|>)")
_IMAGE_DATA = re.compile(
    r"(?<=\])\(<?data:…>?(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
    r"|^ {0,3}\[[^\]\n]{1,300}\]:[ \t]*<?data:….*\n?",
    re.MULTILINE,
)
_HAS_RUBY = re.compile(r"<rt\b", re.IGNORECASE)
_READING = re.compile(r"<(rt|rp|rtc)\b[^<>\n]{0,200}>[^<>]{0,200}</\1>", re.IGNORECASE)
_RUBY = re.compile(r"</?(?:ruby|rb|rtc)\b[^<>\n]{0,200}>", re.IGNORECASE)


def load_markdown(name: str, data: bytes) -> list[Document]:
    """A Markdown file; its title is its first heading of the first level, or what the front matter says.

    Raises:
        DocumentError: It is not text.
    """
    fields, text = front_matter(clean(decode(name, data)))
    document = markdown_document(name, data, text)
    said = next((plain(value) for field, value in fields if field == "title" and isinstance(value, str)), "")
    return [replace(document, title=document.title or said, about=about(fields))]


def markdown_document(name: str, data: bytes, source: str) -> Document:
    """The document of a Markdown text; `data` are the bytes it was read from."""
    text = _with_rows(_without_images(without_files(clean(source)))).strip()
    headings = _headings(text)
    title = next((heading for _, level, heading in headings if level == 1), "")
    return Document(
        id=document_id(data),
        name=name,
        title=title,
        text=text,
        headings=tuple((offset, heading) for offset, _, heading in headings),
    )


def _without_images(text: str) -> str:
    """The text without what stands for an image that is written into it, but with the words for the image; and with
    the words of ruby without how they are read."""
    text = _IMAGE_DATA.sub("", text) if "data:…" in text else text
    return _RUBY.sub("", _READING.sub("", text)) if _HAS_RUBY.search(text) else text


def _with_rows(text: str) -> str:
    """The text with its tables written as all tables are, see `core.corpora.rows`."""
    lines = text.split("\n")
    written: list[str] = []
    place = 0
    code = _fenced(lines)
    while place < len(lines):
        columns = 0 if code[place] else _columns(lines, place)
        if not columns:
            written.append(lines[place])
            place += 1
            continue
        end = place + 2
        while end < len(lines) and "|" in lines[end] and not code[end] and not _OTHER_BLOCK.match(lines[end]):
            end += 1
        rows = [_cells(line)[:columns] for line in (lines[place], *lines[place + 2 : end])]
        text = table_text(rows, True)
        written.append(text)
        # What follows at once would read like one more row.
        if text and end < len(lines) and lines[end].strip():
            written.append("")
        place = end
    return "\n".join(written)


def _columns(lines: Sequence[str], place: int) -> int:
    """Number of columns of the table whose header a line is; 0: it is none."""
    if place + 1 == len(lines) or "|" not in lines[place] or not _RULER.fullmatch(lines[place + 1]):
        return 0
    header, ruler = _cells(lines[place]), _cells(lines[place + 1])
    return len(header) if len(header) == len(ruler) and not _INDENTED.match(lines[place]) else 0


def _cells(line: str) -> list[str]:
    """The cells of a table's line; a bar that belongs to a cell is escaped."""
    line = line.strip()
    bare = line[line.startswith("|") :]
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(bare)]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Of each line whether it belongs to code between fences."""
    found: list[bool] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        inside = bool(fence or mark)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        found.append(inside)
    return found


def _headings(text: str) -> list[tuple[int, int, str]]:
    """Offset, level and text of each heading outside fenced code."""
    found: list[tuple[int, int, str]] = []
    before, before_offset, offset = "", 0, 0
    lines = text.split("\n")
    for line, code in zip(lines, _fenced(lines), strict=True):
        if code:
            before = ""
        elif heading := _HEADING.match(line):
            if words := _CLOSING.sub("", heading[2]).rstrip(" \t"):
                found.append((offset, len(heading[1]), words))
            before = ""
        elif before and (underline := _UNDERLINE.match(line)):
            found.append((before_offset, 1 if underline[1][0] == "=" else 2, before))
            before = ""
        else:
            before, before_offset = line.strip(), offset
        offset += len(line) + 1
    return found
