"""Reads a report as a browser does: its elements, attributes, text and data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

INLINE = {"a", "b", "em", "s", "small", "span", "strong"}
VOID = {"meta", "br", "hr", "input"}


@dataclass
class Reading(HTMLParser):
    """The content of a report."""

    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    text: str = ""
    """All that a reader may read, drawings left out."""
    scripts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    drawings: list[tuple[str, Any]] = field(default_factory=list)
    """Name and data of each."""
    policy: str = ""
    _open: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"]
        if tag not in VOID:
            self._open.append((tag, found))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, tag
        assert self._open[-1][0] == tag, (self._open[-1], tag)
        self._open.pop()
        self.text += "" if tag in INLINE else "\n"

    def handle_data(self, data: str) -> None:
        tag, attributes = self._open[-1] if self._open else ("", {})
        if tag == "style":
            self.styles.append(data)
        elif tag == "script" and attributes.get("type") == "application/json":
            self.drawings.append((attributes["data-drawing"], json.loads(data)))
        elif tag == "script":
            self.scripts.append(data)
        else:
            self.text += data


def reading(report: str) -> Reading:
    """The report, whose elements must be closed in the order in which they were opened."""
    found = Reading()
    found.feed(report)
    found.close()
    assert not found._open
    return found


REFERENCES = ("action", "data", "formaction", "href", "poster", "src", "srcset")
"""Attributes by which a page asks for something or leads somewhere."""


def loose_ends(pages: Mapping[str, str]) -> Iterator[str]:
    """Yield all references in pages (file name -> HTML) that lead to none of them, or may ask for something."""
    for file, text in pages.items():
        page = reading(text)
        if not page.policy.startswith("default-src 'none'; script-src 'sha256-"):
            yield f"{file}: {page.policy}"
        for style in page.styles:
            yield from (f"{file}: {found}" for found in re.findall(r"@import|url\(", style))
        yield from (f"{file}: {link}" for link in links(page) if link not in pages)


def links(page: Reading) -> list[str]:
    """The places that a page leads to, but for those on the page itself."""
    found = [own[name] for _, own in page.elements for name in REFERENCES if name in own]
    return [value.partition("#")[0] for value in found if not value.startswith("#")]
