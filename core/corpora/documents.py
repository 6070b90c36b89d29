"""A document as the loaders deliver it: its text, and where pages and headings begin in it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.corpora.about import About, values_of
from core.corpora.look_alikes import without_invisible
from core.errors import DocumentError, InputError

READER = 2
"""Version of the loaders. It rises when they read files better: documents read by an earlier one are worth indexing
again. What comes with the app is read by this one (`make demo-world`)."""

MOST_CHARACTERS = 50_000_000
"""Of a document's text. A small file can be written so that its text is a hundred times as long."""

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
    """What the file says of itself beside title and text; type and folder follow from the name."""
    reader: int = READER
    """Version of the loaders that read it."""

    def page_at(self, offset: int) -> int | None:
        """Number of the page, from 1, that holds the character; None where there are no pages."""
        return bisect_right(self.pages, offset) or None

    def heading_at(self, offset: int) -> str:
        """The nearest heading at or above the character; empty where there is none."""
        index = bisect_right(self.headings, offset, key=lambda heading: heading[0])
        return self.headings[index - 1][1] if index else ""


def to_document(fields: Mapping[str, Any]) -> Document:
    """A document from its fields as JSON gives them back."""
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
        """The next block begins a page."""
        self._pages.append(self._length)

    def heading(self, text: str) -> None:
        """Add a heading as a block of its own."""
        if text := " ".join(clean(text).split()):
            self._headings.append((self._length, text))
            self.block(text)

    def block(self, text: str, pages: Sequence[int] = ()) -> None:
        """Add a paragraph; blocks are parted by an empty line. Empty ones are left out.

        Args:
            text: Of the paragraph.
            pages: Where further pages begin in it: offsets in a text without blanks around it.
        """
        if text := without_files(clean(text)).strip():
            self._pages += [self._length + offset for offset in pages]
            self._blocks.append(text)
            self._length += len(text) + 2

    def build(self, name: str, data: bytes, title: str = "", about: About | None = None) -> Document:
        """The finished document; `data` are the bytes it was read from, `about` is what it says of itself.

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
    """Id of the document in a file with these bytes: 16 hexadecimal digits.

    The reader's version is a part of it. So a file that is read anew replaces its older document like a changed file,
    and the chunks that earlier runs cite keep their ids to themselves.
    """
    return content_id(b"reader %d\0" % READER + data)


def content_id(data: bytes) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of these bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def clean(text: str) -> str:
    """The text with one kind of line end and without characters that a database or JSON would refuse."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    # Broken PDFs and JSON escapes yield lone surrogates, which cannot be encoded as UTF-8.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def without_files(text: str) -> str:
    """The text without the files that are written into it as data: they say nothing, and are longer than all else."""
    return _DATA_URI.sub("data:…", text) if "data:" in text or "DATA:" in text else text


def display_name(name: str) -> str:
    """A name fit for display: no folders, no control or direction characters, at most 200 characters."""
    name = unicodedata.normalize("NFC", clean(name)).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    name = "".join(" " if is_control(character) else character for character in name)
    return name.strip()[:200] or "unnamed"


def is_control(character: str) -> bool:
    """True if a character would break a line or turn the reading direction of what follows."""
    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in _BIDI_OVERRIDES


def kept_name(name: str, what: str, longest: int) -> str:
    """A name as it is stored: without blanks around it, in Unicode's composed form.

    Args:
        name: The name as it was typed.
        what: The kind of thing that is named, as in “a corpus”.
        longest: Most characters.

    Raises:
        InputError: It is empty, too long, or holds control characters.
    """
    name = unicodedata.normalize("NFC", name.strip())
    if not 1 <= len(name) <= longest:
        raise InputError(f"The name of {what} must have 1 to {longest} characters.")
    if any(is_control(character) for character in name):
        raise InputError(f"The name of {what} must not hold control characters.")
    if not without_invisible(name).strip():
        raise InputError(f"The name of {what} must have a character that can be seen.")
    return name
