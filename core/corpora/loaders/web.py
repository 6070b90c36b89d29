"""HTML: the readable text of a page. Nothing it refers to is ever fetched."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from core.corpora.about import About, about, words_of
from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.page_text import read_page
from core.corpora.loaders.unseen import drop_unseen

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_META = {
    **dict.fromkeys(("author", "dc.creator", "dcterms.creator", "article:author"), "author"),
    **dict.fromkeys(("date", "dc.date", "dcterms.date", "dcterms.created", "dc.date.issued"), "date"),
    **dict.fromkeys(("article:published_time", "datepublished"), "published"),
    **dict.fromkeys(("article:modified_time", "last-modified"), "modified"),
    **dict.fromkeys(("keywords", "article:tag"), "tags"),
    "article:section": "section",
    "og:site_name": "site",
}
"""Name of a `meta` element -> field."""
_MOST_META = 200
_SELF_CLOSED = re.compile(r"<(title|script|style|iframe|noscript|template|nav|footer|object)\b([^<>]*)/>")
"""XHTML writes empty elements so; read as HTML, they would swallow what follows."""


def load_html(name: str, data: bytes) -> list[Document]:
    """The text of a page without scripts, styles, navigation and footer, with its title and headings.

    Raises:
        DocumentError: It is not text.
    """
    from bs4.dammit import EncodingDetector

    builder = TextBuilder()
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    soup = _soup(decode(name, data, declared))
    known = _about(soup)
    return [builder.build(name, data, _add(builder, soup), known)]


def add_html(builder: TextBuilder, page: str) -> str:
    """Add the readable text of a page to a document; the page's title, or an empty text."""
    return _add(builder, _soup(page))


def _soup(page: str) -> BeautifulSoup:
    # Imported here, so that a process that leaves the reading of files to another process does without.
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

    warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)  # XHTML reads well as HTML
    return BeautifulSoup(_SELF_CLOSED.sub(r"<\1\2></\1>", page), "lxml")


def _about(soup: BeautifulSoup) -> About:
    """What a page says of itself: its `meta` elements, and the first moment that it marks as one."""
    found: list[tuple[str, str]] = []
    for tag in soup("meta", limit=_MOST_META):
        said, text = str(tag.get("name") or tag.get("property") or "").lower(), str(tag.get("content") or "")
        if said in _META:
            field = _META[said]
            found += [(field, word) for word in (words_of(text) if field == "tags" else (text,))]
    moment = soup.find("time", attrs={"datetime": True})
    return about([*found, *([("created", str(moment.get("datetime")))] if moment else [])])


def _add(builder: TextBuilder, soup: BeautifulSoup) -> str:
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    drop_unseen(soup)
    read_page(builder, soup)
    return title
