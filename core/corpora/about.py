"""Facts about a document beside its text: fields such as date, author or kind, each with one or several values.

What files say of themselves is never trusted: names and values become short plain text, few of each.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, TypeAlias

About: TypeAlias = Mapping[str, tuple[str, ...]]
"""Name of a field -> its values. `date` is ISO: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`."""

DATE, TYPE, FOLDER, TITLE = "date", "type", "folder", "title"
MOST_FIELDS, MOST_VALUES = 20, 20
NAME_CHARS, VALUE_CHARS = 40, 200
_READ = 200
"""Fields, and values of one, that are looked at in search of usable ones."""

_DATES = (DATE, "published", "created", "issued", "updated", "modified", "year")
"""Fields that a document's date is taken from, the first that there is."""
_RENAMED = {
    TYPE: "kind",
    "keywords": "tags",
    "creator": "author",
    "authors": "author",
    "pubdate": "published",
    "lastbuilddate": "updated",
}
"""Names that say the same; a type is that of the file."""
_FROM_ELSEWHERE = {FOLDER, TITLE, "id", "text"}
"""Fields that a file does not fill itself: they follow from its name, or are kept beside."""
_NO_NAME = re.compile(r"[^\w.-]+")

_ISO = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?=$|[T ])")
_PACKED = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)\d{0,6}(?=$|[Z+-])")
_POINTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$")
_DAY_FIRST = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th)? )?([A-Za-z]{3,9})\.?,? (\d{4})$")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_TYPES = {
    ".pdf": "PDF",
    ".docx": "Word",
    ".pptx": "PowerPoint",
    ".xlsx": "Excel",
    ".odt": "OpenDocument",
    ".epub": "E-book",
    **dict.fromkeys((".html", ".htm"), "HTML"),
    **dict.fromkeys((".md", ".markdown"), "Markdown"),
    ".txt": "Text",
    **dict.fromkeys((".csv", ".tsv"), "Table"),
    ".json": "JSON",
    ".jsonl": "Data set",
    ".ipynb": "Notebook",
    ".eml": "E-mail",
    ".xml": "XML",
    ".rss": "Feed",
}
"""Ending of a name -> what such a file is called."""


def about(fields: Iterable[tuple[str, Any]]) -> dict[str, tuple[str, ...]]:
    """The statements of a file about itself, made harmless.

    Args:
        fields: Names and values as they were found; what is neither text, number, date nor a list of these is left
            out. A name may come several times.
    """
    found: dict[str, tuple[str, ...]] = {}
    for raw, value in islice(fields, _READ):
        name = field_name(raw)
        name = _RENAMED.get(name, name)
        if not name or name in _FROM_ELSEWHERE or (len(found) >= MOST_FIELDS and name not in found):
            continue
        values = _values(value)
        if name in _DATES:
            values = [one for one in map(iso_date, values) if one][:1]
        if values:
            found[name] = tuple(dict.fromkeys([*found.get(name, ()), *values]))[:MOST_VALUES]
    when = next((found[name] for name in _DATES if name in found), ())
    return {**({DATE: when[:1]} if when else {}), **{key: one for key, one in found.items() if key != DATE}}


def field_name(raw: str) -> str:
    """The name of a field as it is kept and as a filter writes it; empty: none can be made of this."""
    return _NO_NAME.sub("_", unicodedata.normalize("NFKC", raw).casefold())[:NAME_CHARS].strip("_.-")


def plain(text: str) -> str:
    """A value as plain text in one line: no control characters, no signs that turn the direction, not too long."""
    seen = (
        " " if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} else char
        for char in unicodedata.normalize("NFC", text[: 4 * VALUE_CHARS])
        if unicodedata.category(char) != "Cf"
    )
    return " ".join("".join(seen).split())[:VALUE_CHARS].strip()


def iso_date(text: str) -> str:
    """A date as ISO, as exact as it was said; empty: it is none that is read without guessing."""
    text = " ".join(text[:VALUE_CHARS].split())
    if found := _ISO.match(text) or _PACKED.match(text):
        return _iso(*found.groups())
    if found := _POINTED.match(text):
        day, month, year = found.groups()
        return _iso(year, month, day)
    if found := _DAY_FIRST.match(text):
        day, word, year = found.groups()
        return _iso(year, _month(word), day)
    if found := _MONTH_FIRST.match(text):
        word, day, year = found.groups()
        return _iso(year, _month(word), day)
    from email.utils import parsedate_to_datetime  # takes 10 ms, and few processes read dates of letters

    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def with_derived(name: str, key: str, fields: About) -> About:
    """The fields of a document, with those that follow from its name: its type and its folder.

    Args:
        name: Of the document, with the path inside what was added.
        key: Its id in a data set, which ends its name; empty for an ordinary file.
        fields: What the file says.
    """
    path = PurePosixPath(name.removesuffix(f":{key}") if key else name)
    kind = _TYPES.get(path.suffix.lower(), "")
    # A folder comes with those that it is in, so that choosing one takes in what lies below.
    parts = [plain(part) for part in path.parts[:-1] if part.strip("./ ")]
    parts = parts[1:] if parts and parts[0].lower().endswith(".zip") else parts
    folders = tuple("/".join(parts[: end + 1])[-VALUE_CHARS:] for end in range(len(parts)))[:MOST_VALUES]
    derived = {name: values for name, values in ((TYPE, (kind,)), (FOLDER, folders)) if any(values)}
    return {**derived, **fields}


def values_of(kept: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The fields of a document from JSON, which has lists in place of tuples."""
    return {name: tuple(values) for name, values in kept.items()}


def _values(value: Any) -> list[str]:
    several = islice(value, _READ) if isinstance(value, list | tuple) else (value,)
    texts = dict.fromkeys(plain(text) for one in several if (text := _text(one)))
    return [text for text in texts if text][:MOST_VALUES]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, int) and value.bit_length() > 64:
        return ""  # writing out a huge number takes long
    return str(value) if isinstance(value, str | int | float | date) else ""


def _month(word: str) -> str:
    place = word[:3].lower()
    return str(_MONTHS.index(place) + 1) if place in _MONTHS else "0"


def _iso(year: str, month: str | None, day: str | None) -> str:
    try:
        whole = date(int(year), int(month or 1), int(day or 1)).isoformat()
    except ValueError:
        return ""
    return whole if day else whole[:7] if month else whole[:4]


def words_of(text: str) -> Iterator[str]:
    """The values of a list that a file writes in one line, as keywords are."""
    return (part for part in re.split(r"[;,]", text) if part.strip())
