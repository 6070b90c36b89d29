"""Markdown: kept as written, with its headings noted and its front matter dropped."""

from __future__ import annotations

import re

from core.corpora.documents import Document, clean, document_id
from core.corpora.loaders.decoding import decode

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?=[\w\"'-]+[ \t]*:)(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")


def load_markdown(name: str, data: bytes) -> list[Document]:
    """A Markdown file; its title is its first heading of the first level.

    Raises:
        DocumentError: It is not text.
    """
    return [markdown_document(name, data, _FRONT_MATTER.sub("", clean(decode(name, data)), count=1))]


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
            if heading[2]:
                found.append((offset, len(heading[1]), heading[2]))
            before = ""
        elif before and (underline := _UNDERLINE.match(line)):
            found.append((before_offset, 1 if underline[1][0] == "=" else 2, before))
            before = ""
        else:
            before, before_offset = line.strip(), offset
        offset += len(line) + 1
    return found
