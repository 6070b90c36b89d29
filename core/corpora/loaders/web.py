"""HTML: the readable text of a page. Nothing it refers to is ever fetched."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from core.corpora.documents import About, Document, TextBuilder, about, words_of
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.page_text import read_page

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

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
    """Return the text of a page without scripts, styles, navigation and footer, with its title and headings."""
    from bs4.dammit import EncodingDetector

    builder = TextBuilder()
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    soup = _soup(decode(name, data, declared))
    known = _about(soup)
    return [builder.build(name, data, _add(builder, soup), known)]


def add_html(builder: TextBuilder, page: str) -> None:
    """Add the readable text of a page to a document."""
    _add(builder, _soup(page))


def _soup(page: str) -> BeautifulSoup:
    # Imported here, so that a process that leaves the reading of files to another process does without.
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

    warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)  # XHTML reads well as HTML
    return BeautifulSoup(_SELF_CLOSED.sub(r"<\1\2></\1>", page), "lxml")


def _about(soup: BeautifulSoup) -> About:
    """Return the fields that a page states of itself: its `meta` elements, and the first moment that it marks."""
    fields: list[tuple[str, str]] = []
    for tag in soup("meta", limit=_MOST_META):
        name, text = str(tag.get("name") or tag.get("property") or "").lower(), str(tag.get("content") or "")
        if name in _META:
            field = _META[name]
            fields += [(field, word) for word in (words_of(text) if field == "tags" else (text,))]
    moment = soup.find("time", attrs={"datetime": True})
    return about([*fields, *([("created", str(moment.get("datetime")))] if moment else [])])


def _add(builder: TextBuilder, soup: BeautifulSoup) -> str:
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    _drop_unseen(soup)
    read_page(builder, soup)
    return title


# Elements that no reader sees, or reads as part of the text

_DROPPED = [
    *("script", "style", "nav", "noscript", "template", "head", "svg", "iframe", "object", "footer"),
    *("datalist", "rp", "rt", "rtc"),  # a reading between the characters of a word would part it
]
_ROLES = {"navigation", "menubar", "search", "contentinfo"}
_MAIN = ["main", "article"]
_SHORTEST_MAIN = 200
"""Characters of a main text that is shown; with less, a page that hides half of itself shows it by a script."""
_MOST_SPARED = 100
"""Hidden elements that are looked at and stay; each costs a look at all that it holds."""
_HIDDEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}(?:px|em|rem|%)|font-size\s*:\s*0(?:px|em|rem|pt|%)?)\s*(?:!\s*important\s*)?(?=;|$)",
    re.IGNORECASE,
)
_COOKIES = re.compile(
    r"cookie[-_]?(?:banner|consent|notice|bar|popup|pop-up|dialog|law|message|modal|overlay|layer|wall|info|alert|hint)"
    r"|(?:^|[-_ ])(?:gdpr|consent|ccpa)[-_]?(?:banner|notice|bar|popup|dialog|modal|overlay)"
    r"|onetrust-(?:banner|consent)|cybotcookiebot|cc-window|usercentrics|didomi-(?:host|popup|notice)",
    re.IGNORECASE,
)
"""Names that makers of such banners give them."""
_LONGEST_BANNER = 3000
"""Characters."""
_GUTTER = re.compile(
    r"(?:^|\s)(?:linenos?|linenodiv|line-?numbers?(?:-rows)?|gutter|blob-num)(?:\s|$)", re.IGNORECASE
)
"""Numbers of the lines of code beside it."""


def _drop_unseen(soup: BeautifulSoup) -> None:
    """Take out scripts, navigation, readings of ruby, and what is hidden; never the main text, however it is marked."""
    for tag in soup(_DROPPED):
        if not tag.decomposed and not _is_shown_anyway(tag):
            tag.decompose()
    opened = {
        name for tag in soup(None, {"aria-controls": True}) for name in str(tag["aria-controls"]).split()
    }
    unseen = [tag for tag in soup(_may_be_unseen) if _is_unseen(tag, opened)]
    length, main = len(soup.get_text(strip=True)), _shown_main(soup, {id(tag) for tag in unseen})
    spared = 0
    for tag in unseen:
        if tag.decomposed:
            continue
        if _stays(tag, length, main):
            spared += 1
        else:
            tag.decompose()
        if spared == _MOST_SPARED:
            return


def _is_shown_anyway(tag: Tag) -> bool:
    """Return True for a template that a browser shows at its place, and for the source of a quotation."""
    if tag.name == "template":
        return tag.has_attr("shadowrootmode") or tag.has_attr("shadowroot")
    return tag.name == "footer" and tag.parent is not None and tag.parent.name == "blockquote"


def _may_be_unseen(tag: Tag) -> bool:
    marks = ("hidden", "aria-hidden", "style", "role", "id", "class")
    return tag.name not in ("html", "body", "main") and (
        tag.name == "dialog" or any(map(tag.has_attr, marks))
    )


def _is_unseen(tag: Tag, opened: set[str]) -> bool:
    """Return True if an element is marked as hidden, as navigation, as a banner on cookies or as numbers of lines."""
    role = _attribute(tag, "role")
    if role in _ROLES or (tag.name == "dialog" and not tag.has_attr("open")):
        return True
    if _COOKIES.search(_names(tag)) or _GUTTER.search(_names(tag)):
        return True
    hides = tag.has_attr("hidden") and _attribute(tag, "hidden") != "until-found"
    if not (hides or _HIDDEN.search(_attribute(tag, "style")) or _attribute(tag, "aria-hidden") == "true"):
        return False
    # What a reader can open is text: the panels of tabs, and what a button shows.
    return role != "tabpanel" and not (_attribute(tag, "id") in opened and "dialog" not in role)


def _stays(tag: Tag, length: int, main: int) -> bool:
    """Return True if an element that is marked so is text all the same, by the characters of the page, and those of its
    main text as far as that is shown."""
    text = tag.get_text(" ", strip=True)
    if _COOKIES.search(_names(tag)):
        return len(text) > _LONGEST_BANNER
    if _GUTTER.search(_names(tag)):
        return any(map(str.isalpha, text))
    style = _HIDDEN.search(_attribute(tag, "style"))
    if style and "font-size" in style[0].lower() and tag.find(True):
        return True  # it closes the gaps between elements that have a size of their own
    return main < _SHORTEST_MAIN and 2 * len(text) >= length


def _shown_main(soup: BeautifulSoup, unseen: set[int]) -> int:
    """Return the characters of the main text outside what is marked as hidden."""
    return sum(
        len(tag.get_text(strip=True))
        for tag in soup(_MAIN, limit=20)
        if not any(id(element) in unseen for element in (tag, *tag.parents))
    )


def _names(tag: Tag) -> str:
    return f"{_attribute(tag, 'id')} {_attribute(tag, 'class')}"


def _attribute(tag: Tag, attribute: str) -> str:
    value = tag.get(attribute)
    return " ".join(value) if isinstance(value, list) else str(value or "").strip()
