"""A document as the loaders deliver it: its text, and where pages and headings begin in it; and the
facts beside it: fields such as date, author or kind, each with one or several values.

What files say of themselves is never trusted: names and values become short plain text, few of each.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from core.corpora.look_alikes import without_invisible
from core.errors import DocumentError, InputError

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
    """Return the statements of a file about itself, made harmless.

    A name may come several times; values that are neither text, number, date nor a list of these are left out.
    """
    known: dict[str, tuple[str, ...]] = {}
    for raw, value in islice(fields, _READ):
        name = field_name(raw)
        name = _RENAMED.get(name, name)
        if not name or name in _FROM_ELSEWHERE or (len(known) >= MOST_FIELDS and name not in known):
            continue
        values = _values(value)
        if name in _DATES:
            values = list(filter(None, map(iso_date, values)))[:1]
        if values:
            known[name] = tuple(dict.fromkeys([*known.get(name, ()), *values]))[:MOST_VALUES]
    day = next((known[name][:1] for name in _DATES if name in known), None)
    known.pop(DATE, None)
    return {DATE: day, **known} if day else known


def field_name(raw: str) -> str:
    """Return the name of a field as it is kept and as a filter writes it; empty: none can be made of this."""
    return _NO_NAME.sub("_", unicodedata.normalize("NFKC", raw).casefold())[:NAME_CHARS].strip("_.-")


def plain(text: str) -> str:
    """Return a value as one line of plain text, not too long, without signs that control or turn the direction."""
    seen = (
        " " if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} else char
        for char in unicodedata.normalize("NFC", text[: 4 * VALUE_CHARS])
        if unicodedata.category(char) != "Cf"
    )
    return " ".join("".join(seen).split())[:VALUE_CHARS].strip()


def iso_date(text: str) -> str:
    """Return a date as ISO, as exact as the text gives it; empty where that would take guessing."""
    text = " ".join(text[:VALUE_CHARS].split())
    if match := _ISO.match(text) or _PACKED.match(text):
        return _iso(*match.groups())
    if match := _POINTED.match(text):
        day, month, year = match.groups()
        return _iso(year, month, day)
    if match := _DAY_FIRST.match(text):
        day, word, year = match.groups()
        return _iso(year, _month(word), day)
    if match := _MONTH_FIRST.match(text):
        word, day, year = match.groups()
        return _iso(year, _month(word), day)
    from email.utils import parsedate_to_datetime  # takes 10 ms, and few processes read dates of letters

    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def with_derived(name: str, key: str, fields: About) -> About:
    """Return the fields of a document that its file states, with those that follow from its name: its type and its
    folder.

    The name has the path inside what was added, and ends with the id that a data set gave it (`key`), if one did.
    """
    path = PurePosixPath(name.removesuffix(f":{key}") if key else name)
    kind = _TYPES.get(path.suffix.lower(), "")
    # A folder comes with those that it is in, so that choosing one takes in what lies below.
    parts = [plain(part) for part in path.parts[:-1] if part.strip("./ ")]
    parts = parts[1:] if parts and parts[0].lower().endswith(".zip") else parts
    folders = tuple("/".join(parts[: end + 1])[-VALUE_CHARS:] for end in range(len(parts)))[:MOST_VALUES]
    derived = {name: values for name, values in ((TYPE, (kind,)), (FOLDER, folders)) if any(values)}
    return {**derived, **fields}


def values_of(fields: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return the fields of a document from JSON, which has lists in place of tuples."""
    return {name: tuple(values) for name, values in fields.items()}


def _values(value: Any) -> list[str]:
    parts = islice(value, _READ) if isinstance(value, list | tuple) else (value,)
    texts = dict.fromkeys(plain(text) for part in parts if (text := _text(part)))
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
    """Return the values of a list that a file writes in one line, as keywords are."""
    return (part for part in re.split(r"[;,]", text) if part.strip())


READER = 2
"""Version of the loaders. It rises when they read files better: documents read by an earlier one are worth indexing
again. What comes with the app is read by this one (`make demo-world`)."""

MOST_CHARACTERS = 50_000_000
"""Characters of a document's text at most. A small file can be written so that its text is a hundred times as long."""

_BIDI_OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

_DATA_URI = re.compile(
    r"data:(?:[\w.+-]{1,60}/[\w.+-]{1,60})?(?:;[\w.+-]{1,30}(?:=[\w.+\"-]{1,60})?){0,4}"
    r"(?:;base64,\s*[\w+/=%-]{40,}(?:\s+[\w+/=-]{40,})*(?:\s+[\w+/-]{1,76}={1,2})?|,[^\s\"'`()<>]{100,})",
    re.ASCII | re.IGNORECASE,
)
"""An image or another file written into a text, in Base64 or with percent signs."""


@dataclass(frozen=True)
class Document:
    """Text of one document. All offsets count characters of `text`."""

    id: str
    """See `document_id`; of a line of a data set, `content_id`."""
    name: str
    """Name that the user gave it: display text, never opened as a path."""
    title: str
    """The document's own title; empty where it has none."""
    text: str
    pages: tuple[int, ...] = ()
    """Offset at which each page begins; empty where the format has no pages."""
    headings: tuple[tuple[int, str], ...] = ()
    """Offset and text of each heading, in order."""
    key: str = ""
    """Id that a data set gave it; empty for an ordinary file."""
    about: About = field(default_factory=dict, hash=False)
    """Facts that the file states, beside title and text; type and folder follow from the name."""
    reader: int = READER
    """Version of the loaders that read it."""

    def page_at(self, offset: int) -> int | None:
        """Return the number of the page, from 1, that holds the character; None where there are no pages."""
        return bisect_right(self.pages, offset) or None

    def heading_at(self, offset: int) -> str:
        """Return the nearest heading at or above the character; empty where there is none."""
        index = bisect_right(self.headings, offset, key=lambda heading: heading[0])
        return self.headings[index - 1][1] if index else ""


def to_document(fields: Mapping[str, Any]) -> Document:
    """Return a document from its fields as JSON gives them back."""
    headings = tuple((int(offset), str(text)) for offset, text in fields["headings"])
    pages, about = tuple(map(int, fields["pages"])), values_of(fields["about"])
    return Document(**{**fields, "pages": pages, "headings": headings, "about": about})


class TextBuilder:
    """Collects a document's blocks and notes where pages and headings begin."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._length = 0
        self._pages: list[int] = []
        self._headings: list[tuple[int, str]] = []

    def page(self) -> None:
        """Begin a page with the next block."""
        self._pages.append(self._length)

    def heading(self, text: str) -> None:
        """Add a heading as a block of its own."""
        if text := " ".join(clean(text).split()):
            self._headings.append((self._length, text))
            self.block(text)

    def block(self, text: str, pages: Sequence[int] = ()) -> None:
        """Add a paragraph; blocks are parted by an empty line. Empty ones are left out.

        `pages` are the offsets at which further pages begin in it, in a text without blanks around it.
        """
        if text := without_files(clean(text)).strip():
            self._pages += [self._length + offset for offset in pages]
            self._blocks.append(text)
            self._length += len(text) + 2

    def build(self, name: str, data: bytes, title: str = "", about: About | None = None) -> Document:
        """Return the finished document; `data` are the bytes it was read from, `about` is what it says of itself.

        Raises:
            DocumentError: It has more than `MOST_CHARACTERS`.
        """
        if self._length > MOST_CHARACTERS:
            raise DocumentError(
                f"“{name}” holds more than {MOST_CHARACTERS // 10**6} million characters of text. Split it."
            )
        return Document(
            id=document_id(data),
            name=name,
            title=" ".join(clean(title).split()),
            text="\n\n".join(self._blocks),
            pages=tuple(self._pages),
            headings=tuple(self._headings),
            about=about or {},
        )


def document_id(data: bytes) -> str:
    """Return the id of the document in a file with these bytes: 16 hexadecimal digits.

    The reader's version is a part of it. So a file that is read anew replaces its older document like a changed file,
    and the chunks that earlier runs cite keep their ids to themselves.
    """
    return content_id(b"reader %d\0" % READER + data)


def content_id(data: bytes) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of these bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def clean(text: str) -> str:
    """Return the text with one kind of line end and without characters that a database or JSON would refuse."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    # Broken PDFs and JSON escapes yield lone surrogates, which cannot be encoded as UTF-8.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def without_files(text: str) -> str:
    """Return the text without files that are written into it as data, which say nothing and are very long."""
    return _DATA_URI.sub("data:…", text) if "data:" in text or "DATA:" in text else text


def display_name(name: str) -> str:
    """Return a name fit for display: no folders, no control or direction characters, at most 200 characters."""
    name = unicodedata.normalize("NFC", clean(name)).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    name = "".join(" " if is_control(character) else character for character in name)
    return name.strip()[:200] or "unnamed"


def is_control(character: str) -> bool:
    """Return True if a character would break a line or turn the reading direction of what follows."""
    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in _BIDI_OVERRIDES


def stored_name(name: str, what: str, longest: int) -> str:
    """Return a name as it is stored, in at most `longest` characters: without blanks around it, in composed Unicode.

    Raises:
        InputError: It is empty, too long, or holds control characters; the sentence says `what` it names: “a corpus”.
    """
    name = unicodedata.normalize("NFC", name.strip())
    if not 1 <= len(name) <= longest:
        raise InputError(f"The name of {what} must have 1 to {longest} characters.")
    if any(is_control(character) for character in name):
        raise InputError(f"The name of {what} must not hold control characters.")
    if not without_invisible(name).strip():
        raise InputError(f"The name of {what} must have a character that can be seen.")
    return name
