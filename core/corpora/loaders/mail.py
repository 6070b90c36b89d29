"""E-mail: sender, recipients, date and text. Attachments are named, never opened."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from core.corpora.about import about
from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.web import add_html
from core.errors import DocumentError

_SHOWN = ("From", "To", "Cc", "Date")


def load_eml(name: str, data: bytes) -> list[Document]:
    """A message with its subject as title and heading. Its text is preferred to its HTML.

    Raises:
        DocumentError: It is not a message.
    """
    message = BytesParser(EmailMessage, policy=policy.default).parsebytes(data)
    if not any(message[header] for header in ("From", "To", "Subject", "Date", "Received")):
        raise DocumentError(f"“{name}” is not an e-mail (.eml), or its headers are missing.")
    subject = _header(message, "Subject")
    builder = TextBuilder()
    builder.heading(subject)
    builder.block("\n".join(f"{key}: {_header(message, key)}" for key in _SHOWN if message[key]))
    body = message.get_body(("plain", "html"))
    if isinstance(body, EmailMessage):
        text = _text(name, body)
        if body.get_content_subtype() == "html":
            add_html(builder, text)
        else:
            builder.block(text)
    files = [part.get_filename("unnamed") for part in message.walk() if _is_attached(part)]
    if files:
        builder.block("Attachments (not read): " + ", ".join(" ".join(file.split()) for file in files))
    known = about((header, _header(message, header)) for header in ("Date", "From", "To"))
    return [builder.build(name, data, subject, known)]


def _header(message: EmailMessage, key: str) -> str:
    return " ".join(str(message[key] or "").split())


def _text(name: str, part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload.strip():
        return ""
    return decode(name, payload, part.get_content_charset())


def _is_attached(part: EmailMessage) -> bool:
    return part.get_filename() is not None or part.get_content_disposition() == "attachment"
