"""Markdown: kept as written, with its headings noted; its front matter is no text, but says what the document is."""

from __future__ import annotations

import re
from dataclasses import replace

from core.corpora.about import about, plain
from core.corpora.documents import Document, clean, document_id
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.front_matter import front_matter

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING = re.compile(r"(?<![ \t])[ \t]+#+[ \t]*$")
"""The signs behind a heading."""
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")


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
    text = clean(source).strip()
    headings = _headings(text)
    title = next((heading for _, level, heading in headings if level == 1), "")
    return Document(
        id=document_id(data),
        name=name,
        title=title,
        text=text,
        headings=tuple((offset, heading) for offset, _, heading in headings),
    )


def _headings(text: str) -> list[tuple[int, int, str]]:
    """Offset, level and text of each heading outside fenced code."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    before, before_offset, offset = "", 0, 0
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            before = ""
        elif mark:
            fence, before = mark[1], ""
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
