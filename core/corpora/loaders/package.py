"""Documents that are ZIP archives inside (Office, OpenDocument, EPUB): opened with care; with the parts that several of
them share: properties (author, date, subject, keywords) and diagrams."""

from __future__ import annotations

import re
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from lxml import etree

from core.corpora.documents import about, words_of
from core.errors import DocumentError

UNZIP_ERRORS = (BadZipFile, EOFError, RuntimeError, ValueError, struct.error, zlib.error)
"""Errors of zipfile for a damaged archive. Not all are of its own kind: a version or a method of packing that it does
not know is a NotImplementedError, which is a RuntimeError; a name that is not in UTF-8 is a ValueError."""
_MAX_UNPACKED = 150 * 2**20
"""Bytes. A document of the largest size accepted unpacks to far less; a zip bomb to far more."""
_MAX_MEMBERS = 20_000
_DECLARATIONS = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)")
_ENTITY = re.compile(rb"<\0?!\0?E\0?N\0?T\0?I\0?T\0?Y")


def open_package(name: str, data: bytes, main_part: str, kind: str) -> ZipFile:
    """Return the archive of a document, after checking its directory.

    `main_part` is the member that every such document has; `kind` says what is expected: “a Word document (.docx)”.

    Raises:
        DocumentError: It is damaged, encrypted, something else, or it unpacks to more than 150 MB.
    """
    try:
        archive = ZipFile(BytesIO(data))
    except UNZIP_ERRORS:
        raise DocumentError(f"“{name}” is damaged: it cannot be unpacked.") from None
    members = archive.infolist()
    # The directory's sizes can be trusted for this: zipfile never reads past the size announced there.
    if sum(member.file_size for member in members) > _MAX_UNPACKED or len(members) > _MAX_MEMBERS:
        raise DocumentError(f"“{name}” unpacks to more than {_MAX_UNPACKED // 2**20} MB and is refused.")
    if main_part not in {member.filename for member in members}:
        raise DocumentError(f"“{name}” is an archive or another format, not {kind}.")
    if any(member.flag_bits & 1 for member in members):
        raise DocumentError(f"“{name}” is protected by a password. Save it without one and try again.")
    # Other methods of packing unpack a few bytes to gigabytes before zipfile counts them.
    if any(member.compress_type not in {ZIP_STORED, ZIP_DEFLATED} for member in members):
        raise DocumentError(
            f"“{name}” is packed in an unusual way. Save it again with the program it is from."
        )
    return archive


def open_office(name: str, data: bytes, main_part: str, kind: str) -> ZipFile:
    """Return the archive of an Office document, see `open_package`.

    XML that declares a document type is refused: the standard forbids it, and only attacks have it.

    Raises:
        DocumentError: As for `open_package`, or a part declares a document type.
    """
    archive = open_package(name, data, main_part, kind)
    for member in archive.infolist():
        if member.filename.endswith((".xml", ".rels")):
            with archive.open(member) as part:
                if _DECLARATIONS.search(part.read(4096)):
                    raise DocumentError(
                        f"“{name}” declares XML entities, as only attacks do, and is refused."
                    )
    return archive


def member_of(name: str, archive: ZipFile, path: str) -> bytes:
    """Return a member's bytes.

    Raises:
        DocumentError: It is not there, or it is damaged.
    """
    try:
        return archive.read(path)
    except (KeyError, *UNZIP_ERRORS):
        raise DocumentError(f"“{name}” is damaged: its part “{path}” cannot be read.") from None


def parse_xml(name: str, data: bytes) -> etree._Element:
    """Return the root of an XML document. No entity is expanded, and nothing that it refers to is fetched.

    Raises:
        DocumentError: It declares entities, or it is not XML.
    """
    if _ENTITY.search(data):
        raise DocumentError(
            f"“{name}” declares XML entities, which are not expanded here. Save it without them."
        )
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        raise DocumentError(f"“{name}” is damaged: its XML cannot be read.") from None


def optional_part(name: str, archive: ZipFile, path: str) -> etree._Element | None:
    """Return the root of an XML member; None: the document has no such member.

    Raises:
        DocumentError: It is damaged, declares entities, or is not XML.
    """
    return parse_xml(name, member_of(name, archive, path)) if path in archive.namelist() else None


def elements(root: etree._Element | None, wanted: str) -> Iterator[etree._Element]:
    """Return all elements of this name, whatever their namespace, in the order of the document."""
    return (node for node in (() if root is None else root.iter()) if local_name(node) == wanted)


def local_name(element: etree._Element) -> str:
    """Return an element's name without its namespace; empty for comments and the like."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: etree._Element, wanted: str) -> str:
    """Return an element's attribute of this name, whatever its namespace."""
    values = (value for key, value in element.attrib.items() if str(key).rpartition("}")[2] == wanted)
    return str(next(values, ""))


def whole_number(text: str, usual: int, digits: int = 5) -> int:
    """Return a number as files write it; the usual one in place of what is none, or of more digits than any means."""
    return int(text) if text.isdecimal() and len(text) <= digits else usual


# Properties

_FIELDS = {
    "creator": "author",
    "initial-creator": "author",
    "created": "created",
    "creation-date": "created",
    "date": "date",
    "modified": "modified",
    "subject": "subject",
    "category": "category",
    "publisher": "publisher",
    "language": "language",
}
"""Element -> field."""
_LISTED = {"keywords", "keyword"}
_LIBRARIES = {"python-docx", "Steve Canny", "openpyxl"}
"""Authors named in files that a program made: their date is that of a template."""


def office_about(name: str, archive: ZipFile) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the title of an Office document, and the fields of its core properties."""
    return title_and_fields(optional_part(name, archive, "docProps/core.xml"))


def title_and_fields(root: etree._Element | None) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the title in a list of properties, and its fields; see `properties`."""
    return next((node.text for node in elements(root, "title") if node.text), ""), properties(root)


def properties(root: etree._Element | None) -> dict[str, tuple[str, ...]]:
    """Return the fields of a list of properties, whatever the namespace of its elements."""
    fields: list[tuple[str, str]] = []
    for node in () if root is None else root.iter():
        kind, text = local_name(node), (node.text or "").strip()
        if kind in _LISTED:
            fields += [("tags", word) for word in words_of(text)]
        elif kind in _FIELDS and text:
            fields.append((_FIELDS[kind], text))
    generated = any(value in _LIBRARIES for field, value in fields if field == "author")
    return about(pair for pair in fields if not (generated and pair[0] in {"author", "created", "modified"}))


# Diagrams (SmartArt)

_NO_TEXT = {"doc", "pres", "parTrans", "sibTrans"}
"""Kinds of points that stand for the whole, for its looks, and for the arrows between points."""


def diagram_text(model: etree._Element) -> str:
    """Return the points of a diagram's data model as lines, in the order shown, indented by their level."""
    points = {point.get("modelId", ""): point for point in elements(model, "pt")}
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for link in elements(model, "cxn"):
        if link.get("type", "parOf") == "parOf":
            order = whole_number(link.get("srcOrd", "0"), 0)
            below[link.get("srcId", "")].append((order, link.get("destId", "")))
    roots = [key for key, point in points.items() if point.get("type") == "doc"]
    lines: list[str] = []
    seen: set[str] = set()
    # What no link leads to comes last, in the order of the file.
    stack = [(key, 0) for key in [*roots, *points][::-1]]
    while stack:
        key, level = stack.pop()
        if key in seen or key not in points:
            continue
        seen.add(key)
        text = _words(points[key])
        if text and points[key].get("type", "node") not in _NO_TEXT:
            lines.append("  " * max(0, level - 1) + text)
        stack.extend((child, level + 1) for _, child in sorted(below[key], reverse=True))
    return "\n".join(lines)


def _words(point: etree._Element) -> str:
    paragraphs = (
        "".join(node.text or "" for node in elements(paragraph, "t")) for paragraph in elements(point, "p")
    )
    return " ".join(" ".join(paragraphs).split())
