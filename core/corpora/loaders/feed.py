"""XML: the items of an RSS or Atom feed, or the text of any other XML file."""

from __future__ import annotations

from lxml import etree

from core.corpora.documents import Document, TextBuilder, about
from core.corpora.loaders.decoding import without_stray_nulls
from core.corpora.loaders.package import local_name, parse_xml
from core.corpora.loaders.web import add_html

_ITEMS = {"item", "entry"}
_BODIES = ("encoded", "content", "description", "summary")
_FACTS = ("creator", "author", "pubDate", "published", "updated", "category", "link")

_ABOUT = {"pubDate", "lastBuildDate", "updated", "author", "creator", "category", "language"}
"""Elements about a feed as a whole."""


def load_xml(name: str, data: bytes) -> list[Document]:
    """Return a feed's items, each with its title as heading; of other XML the text of every element."""
    root = parse_xml(name, without_stray_nulls(data))
    builder = TextBuilder()
    title, known = "", dict[str, tuple[str, ...]]()
    if local_name(root) in {"rss", "RDF", "feed"}:
        channel = next((node for node in root if local_name(node) == "channel"), root)
        title = _first(channel, "title")
        builder.heading(title)
        builder.block(_first(channel, "description") or _first(channel, "subtitle"))
        known = about((local_name(node), _text(node)) for node in channel if local_name(node) in _ABOUT)
        for item in root.iter():
            if local_name(item) in _ITEMS:
                _add_item(builder, item)
    else:
        for node in root.iter():
            # White space between elements is only layout.
            for text in (node.text if local_name(node) else None, node.tail):
                builder.block(" ".join((text or "").split()))
    return [builder.build(name, data, title, known)]


def _add_item(builder: TextBuilder, item: etree._Element) -> None:
    builder.heading(_first(item, "title"))
    facts = []
    for kind in _FACTS:
        values = [_text(node) for node in item if local_name(node) == kind]
        if joined := ", ".join(filter(None, values)):
            facts.append(f"{kind}: {joined}")
    builder.block("\n".join(facts))
    seen = ""
    for kind in _BODIES:
        body = _first(item, kind)
        # The summary is often the beginning of the whole text.
        if body and body not in seen:
            add_html(builder, body)
            seen += body


def _first(parent: etree._Element, kind: str) -> str:
    return next((_text(node) for node in parent if local_name(node) == kind), "")


def _text(node: etree._Element) -> str:
    text = " ".join("".join(node.itertext(with_tail=False)).split())
    return text or node.get("href", "")
