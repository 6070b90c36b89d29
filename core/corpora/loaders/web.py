"""HTML: the readable text of a page. Nothing it refers to is ever fetched."""

from __future__ import annotations

import re
import warnings

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from bs4.element import NavigableString, PreformattedString, Tag

from core.corpora.documents import Document, TextBuilder

warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)  # XHTML reads well as HTML

_DROPPED = ["script", "style", "nav", "noscript", "template", "head", "svg", "iframe", "object", "footer"]
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = _HEADINGS | {
    *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt"),
    *("figcaption", "figure", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section", "summary"),
    *("table", "tbody", "tfoot", "thead", "tr", "ul"),
}
_END = object()


def load_html(name: str, data: bytes) -> list[Document]:
    """The text of a page without scripts, styles, navigation and footer, with its title and headings."""
    soup = BeautifulSoup(data, "lxml")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for tag in soup(_DROPPED):
        tag.decompose()
    builder = TextBuilder()
    line: list[str] = []
    heading_depth = 0

    def flush() -> None:
        text = re.sub(r"[^\S\n]+", " ", "".join(line))
        line.clear()
        if heading_depth:
            builder.heading(text)
        else:
            builder.block(re.sub(r" ?\n ?", "\n", text).strip(" |"))

    # A stack of our own instead of recursion: pages may be nested deeper than Python's limit.
    stack: list[object] = [soup]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            _, tag_name = node
            flush()
            heading_depth -= tag_name in _HEADINGS
        elif isinstance(node, Tag):
            if node.name in _BLOCKS:
                flush()
                heading_depth += node.name in _HEADINGS
                stack.append((_END, node.name))
            elif node.name == "br":
                line.append("\n")
            elif node.name in {"td", "th"}:
                line.append(" | ")
            stack.extend(reversed(node.contents))
        elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
            in_pre = node.parent is not None and node.parent.name == "pre"
            line.append(str(node) if in_pre else re.sub(r"\s+", " ", node))
    flush()
    return [builder.build(name, data, title)]
