"""E-mail: sender, recipients, date and text, with forwarded messages and attached texts; other attachments by name."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Any, cast

from core.corpora.documents import Document, TextBuilder, about
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.spreadsheet import load_table
from core.corpora.loaders.web import add_html
from core.errors import DocumentError

_SHOWN = ("From", "To", "Cc", "Date")
_TEXTS = {"text/plain", "text/markdown", "text/x-markdown", "text/html"}
_TABLES = {"text/csv": ".csv", "text/tab-separated-values": ".tsv"}
_BLANK = "\u200b\u200c\u2060\ufeff\xad"
"""Characters without width, which senders of newsletters fill an empty text with."""
_DEEPEST = 20
"""Parts within parts, and messages within messages."""
_MAX_HEADER = 2000
"""Characters of a header that are read: Python takes time that grows with the square of a header's length."""


class _Policy(policy.EmailPolicy):
    """The usual policy, with bounds on the time for a header."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        try:
            return super().header_fetch_parse(name, value[:_MAX_HEADER])
        except (RecursionError, LookupError, ValueError, AttributeError):  # faults of Python's own parser
            return value[:_MAX_HEADER]


_POLICY = cast("policy.EmailPolicy[EmailMessage]", _Policy())


def load_eml(name: str, data: bytes) -> list[Document]:
    """Return a message with its subject as title and heading. Its text is preferred to its HTML, unless it is blank."""
    message = BytesParser(EmailMessage, policy=_POLICY).parsebytes(data)
    if not any(message[header] for header in ("From", "To", "Subject", "Date", "Received")):
        raise DocumentError(f"“{name}” is not an e-mail (.eml), or its headers are missing.")
    reader = _Reader(name)
    reader.add_message(message)
    known = about((header, _header(message, header)) for header in ("Date", "From", "To"))
    return [reader.builder.build(name, data, _header(message, "Subject"), known)]


class _Reader:
    """Adds the parts of a message to a document."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._depth = 0
        self.builder = TextBuilder()

    def add_message(self, message: EmailMessage) -> None:
        """Add who wrote what to whom, then what else is attached, by name."""
        self.builder.heading(_header(message, "Subject"))
        self.builder.block("\n".join(f"{key}: {_header(message, key)}" for key in _SHOWN if message[key]))
        unread = self._add(message)
        if unread:
            self.builder.block("Attachments (not read): " + ", ".join(unread))

    def _add(self, part: EmailMessage) -> list[str]:
        """Add a part; the names of the attachments in it that are not read."""
        kind = part.get_content_type()
        inner = _inner(part)
        if self._depth == _DEEPEST:
            return [_name_of(part)]
        self._depth += 1
        try:
            if kind == "message/rfc822":
                for message in inner:
                    self.add_message(message)
                return []
            if kind == "multipart/alternative":
                return self._add_one_of(inner)
            if inner:
                return [name for child in inner for name in self._add(child)]
            return self._add_leaf(part, kind)
        finally:
            self._depth -= 1

    def _add_one_of(self, versions: list[EmailMessage]) -> list[str]:
        """Add the version of a text that reads best: the plain one, unless it is blank, else the one with HTML."""
        for kind in ("text/plain", "text/html"):
            for version in versions:
                leaves = (leaf for leaf in version.walk() if leaf.get_content_type() == kind)
                if any(self._text(leaf) for leaf in leaves if not _is_attached(leaf)):
                    others = [other for other in versions if other is not version]
                    return self._add(version) + [_name_of(other) for other in others if _is_attached(other)]
        return [name for version in versions for name in self._add(version)]

    def _add_leaf(self, part: EmailMessage, kind: str) -> list[str]:
        attached = _is_attached(part)
        if part.get_content_maintype() == "multipart":
            kind = "text/plain"  # its border is missing, so its parts cannot be told apart
        text = self._text(part) if kind in _TEXTS or kind in _TABLES else ""
        if not text:
            return [_name_of(part)] if attached else []
        if attached:
            self.builder.block(f"Attachment: {_name_of(part)}")
        if kind == "text/html":
            add_html(self.builder, text)
        elif kind in _TABLES:
            for document in load_table(self._name, text.encode()):
                self.builder.block(document.text)
        else:
            self.builder.block(text)
        return []

    def _text(self, part: EmailMessage) -> str:
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes) or not payload.strip():
            return ""
        try:
            text = decode(self._name, payload, part.get_content_charset())
        except DocumentError:
            if _is_attached(part):
                return ""  # not what its kind says: it is named only
            raise
        return text if text.strip().strip(_BLANK).strip() else ""


def _inner(part: EmailMessage) -> list[EmailMessage]:
    """Return the parts of a part; of a forwarded message, that message."""
    forwarded = part.get_content_type() == "message/rfc822"
    parts = part.get_payload() if forwarded else part.iter_parts() if part.is_multipart() else ()
    return [inner for inner in parts if isinstance(inner, EmailMessage)]


def _header(message: EmailMessage, key: str) -> str:
    return " ".join(str(message[key] or "").split())


def _name_of(part: EmailMessage) -> str:
    """Return the name of an attachment; of a message its subject."""
    subject = _header(part, "Subject")
    if part.get_content_type() == "message/rfc822":
        subject = next((_header(message, "Subject") for message in _inner(part)), "")
    return " ".join((part.get_filename() or subject or "unnamed").split())


def _is_attached(part: EmailMessage) -> bool:
    return part.get_filename() is not None or part.get_content_disposition() == "attachment"
