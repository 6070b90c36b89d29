"""EPUB: the chapters of a book in reading order, by the HTML loader."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

from core.corpora.documents import About, Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.package import (
    elements,
    member_of,
    open_package,
    optional_part,
    parse_xml,
    properties,
)
from core.corpora.loaders.web import add_html
from core.errors import DocumentError

_CONTAINER = "META-INF/container.xml"
_PAGES = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml"}


def load_epub(name: str, data: bytes) -> list[Document]:
    """Return the text of a book. Its table of contents is left out where it is not a chapter of its own."""
    builder = TextBuilder()
    with open_package(name, data, _CONTAINER, "an e-book (.epub)") as archive:
        title, known, chapters = _contents(name, archive)
        encrypted = elements(optional_part(name, archive, "META-INF/encryption.xml"), "CipherReference")
        locked = {unquote(node.get("URI", "")) for node in encrypted}
        for chapter in chapters:
            if chapter in locked:
                raise DocumentError(f"“{name}” is protected against copying (DRM), so it cannot be read.")
            add_html(builder, decode(name, member_of(name, archive, chapter)))
    return [builder.build(name, data, title, known)]


def _contents(name: str, archive: ZipFile) -> tuple[str, About, list[str]]:
    """Return the title of the book, its other facts, and the members that are its chapters."""
    container = parse_xml(name, member_of(name, archive, _CONTAINER))
    package_path = next((node.get("full-path", "") for node in elements(container, "rootfile")), "")
    package = parse_xml(name, member_of(name, archive, package_path))
    title = next((node.text for node in elements(package, "title") if node.text), "")
    items = {node.get("id"): node for node in elements(package, "item")}
    members = set(archive.namelist())
    folder = posixpath.dirname(package_path)
    chapters = []
    for reference in elements(package, "itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES:
            continue
        path = posixpath.normpath(posixpath.join(folder, unquote(urlsplit(item.get("href", "")).path)))
        # Books in the wild list chapters that were left out of the file.
        if path in members and path not in chapters:
            chapters.append(path)
    return title, properties(next(elements(package, "metadata"), None)), chapters
