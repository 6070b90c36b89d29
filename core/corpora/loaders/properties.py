"""What Office files, OpenDocument texts and e-books say of themselves: author, date, subject, keywords."""

from __future__ import annotations

from zipfile import ZipFile

from lxml import etree

from core.corpora.about import about, words_of
from core.corpora.loaders.package import local_name, optional_part

_KEPT = {
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
"""Whom files name as their author that a program made: their date is that of a template."""


def office_about(name: str, archive: ZipFile) -> dict[str, tuple[str, ...]]:
    """What the core properties of an Office document say."""
    return properties(optional_part(name, archive, "docProps/core.xml"))


def properties(root: etree._Element | None) -> dict[str, tuple[str, ...]]:
    """What the elements of a list of properties say, whatever their namespace."""
    found: list[tuple[str, str]] = []
    for node in () if root is None else root.iter():
        kind, text = local_name(node), (node.text or "").strip()
        if kind in _LISTED:
            found += [("tags", word) for word in words_of(text)]
        elif kind in _KEPT and text:
            found.append((_KEPT[kind], text))
    made = any(one in _LIBRARIES for field, one in found if field == "author")
    return about(one for one in found if not (made and one[0] in {"author", "created", "modified"}))
