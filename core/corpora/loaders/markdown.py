"""Markdown: kept as written but for its tables, with its headings noted; its front matter is no text, but says what the
document is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.corpora.documents import Document, about, clean, document_id, plain, without_files
from core.corpora.loaders.decoding import decode
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
    """Return a Markdown file; its title is its first heading of the first level, or what the front matter says."""
    fields, text = _front_matter(clean(decode(name, data)))
    document = markdown_document(name, data, text)
    titles = [plain(value) for field, value in fields if field == "title" and isinstance(value, str)]
    return [replace(document, title=document.title or next(iter(titles), ""), about=about(fields))]


def markdown_document(name: str, data: bytes, source: str) -> Document:
    """Return the document of a Markdown text; `data` are the bytes it was read from."""
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
    """Return the text without what stands for an image that is written into it, but with the words for the image; and
    with the words of ruby without how they are read."""
    text = _IMAGE_DATA.sub("", text) if "data:…" in text else text
    return _RUBY.sub("", _READING.sub("", text)) if _HAS_RUBY.search(text) else text


def _with_rows(text: str) -> str:
    """Return the text with its tables written as all tables are, see `core.corpora.rows`."""
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
    """Return the number of columns of the table whose header a line is; 0: it is none."""
    if place + 1 == len(lines) or "|" not in lines[place] or not _RULER.fullmatch(lines[place + 1]):
        return 0
    header, ruler = _cells(lines[place]), _cells(lines[place + 1])
    return len(header) if len(header) == len(ruler) and not _INDENTED.match(lines[place]) else 0


def _cells(line: str) -> list[str]:
    """Return the cells of a table's line; a bar that belongs to a cell is escaped."""
    line = line.strip()
    bare = line[line.startswith("|") :]
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(bare)]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Return, for each line, True if it belongs to code between fences."""
    fenced: list[bool] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        inside = bool(fence or mark)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        fenced.append(inside)
    return fenced


def _headings(text: str) -> list[tuple[int, int, str]]:
    """Return the offset, level and text of each heading outside fenced code."""
    headings: list[tuple[int, int, str]] = []
    before, before_offset, offset = "", 0, 0
    lines = text.split("\n")
    for line, code in zip(lines, _fenced(lines), strict=True):
        if code:
            before = ""
        elif heading := _HEADING.match(line):
            if words := _CLOSING.sub("", heading[2]).rstrip(" \t"):
                headings.append((offset, len(heading[1]), words))
            before = ""
        elif before and (underline := _UNDERLINE.match(line)):
            headings.append((before_offset, 1 if underline[1][0] == "=" else 2, before))
            before = ""
        else:
            before, before_offset = line.strip(), offset
        offset += len(line) + 1
    return headings


# Front matter: in YAML between `---`, or in TOML between `+++`, above the text

_YAML = re.compile(
    r"\A---[ \t]*\n(?=[\w\"'-]+[ \t]*:)((?:[^\n]*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)",
)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n((?:[^\n]*\n)*?)\+\+\+[ \t]*(?:\n|\Z)")
_SIMPLE = re.compile(r"([\w-]+)[ \t]*:[ \t]*(\S[^\n]*)")
_MOST_CHARS = 10_000
"""Characters that are read; what is longer is no front matter that somebody wrote."""

_MOST_DEPTH = 20
"""Lists and mappings within each other."""


def _front_matter(source: str) -> tuple[list[tuple[str, Any]], str]:
    """Return the fields of the front matter, as they were found, and the text below it.

    What cannot be read as YAML or TOML is read as `name: value` lines.
    """
    for pattern, read in ((_YAML, _from_yaml), (_TOML, tomllib.loads)):
        if match := pattern.match(source):
            head = match[1][:_MOST_CHARS]
            try:
                fields = read(head)
            except (ValueError, RecursionError):
                fields = dict(_lines(head))
            known = fields if isinstance(fields, dict) else {}
            return [(str(name), value) for name, value in known.items()], source[match.end() :]
    return [], source


def _from_yaml(head: str) -> Any:
    """
    Raises:
        ValueError: It is no YAML, or it has aliases, with which a few lines can stand for billions, or lists within
            lists so deep that reading them takes seconds.
    """
    import yaml

    try:
        depth = 0
        for token in yaml.scan(head, yaml.SafeLoader):
            name = type(token).__name__
            depth += name.endswith(("SequenceStartToken", "MappingStartToken"))
            depth -= name in ("FlowSequenceEndToken", "FlowMappingEndToken", "BlockEndToken")
            if isinstance(token, yaml.AliasToken) or depth > _MOST_DEPTH:
                raise ValueError("aliases, or too deep")
        return yaml.safe_load(head)
    except yaml.YAMLError as error:
        raise ValueError("no YAML") from error


def _lines(head: str) -> Iterator[tuple[str, str]]:
    for line in head.split("\n"):
        if match := _SIMPLE.fullmatch(line.rstrip()):
            yield match[1], match[2].strip("\"'")
