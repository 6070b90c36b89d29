"""PDF, page by page."""

from __future__ import annotations

import logging
import re
from io import BytesIO
from typing import TYPE_CHECKING

from core.corpora.about import About, about, words_of
from core.corpora.documents import Document, TextBuilder
from core.errors import DocumentError

if TYPE_CHECKING:
    from pypdf import DocumentInformation

# The library logs every oddity of a font as an error, thousands per file; real errors are raised.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)

_EXPORT_TITLE = re.compile(
    r"(?i)^(untitled|\(anonymous\)|microsoft word - .*|.*\.(docx?|odt|tex|dvi|pdf|indd|pptx?))$"
)
"""Titles that word processors fill in by themselves."""


def load_pdf(name: str, data: bytes) -> list[Document]:
    """The text layer of a PDF, with the offset of each page.

    Raises:
        DocumentError: It needs a password, or it has no text layer.
    """
    from pypdf import PasswordType, PdfReader  # takes a third of a second, and most processes read no PDF

    reader = PdfReader(BytesIO(data))
    # Files that only forbid printing or copying open with the empty password.
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise DocumentError(f"“{name}” is protected by a password. Save it without one and try again.")
    builder = TextBuilder()
    found = False
    for page in reader.pages:
        builder.page()
        text = page.extract_text()
        found = found or bool(text.strip())
        builder.block(text)
    if not found:
        raise DocumentError(
            f"“{name}” has no text layer: its pages are images. Run it through text recognition (OCR) first."
        )
    said = reader.metadata
    title = (said.title or "") if said else ""
    known = _about(said) if said else {}
    return [builder.build(name, data, "" if _EXPORT_TITLE.match(title.strip()) else title, known)]


def _about(said: DocumentInformation) -> About:
    fields = (("author", said.author), ("created", said.creation_date_raw), ("subject", said.subject))
    return about([*fields, *(("tags", word) for word in words_of(said.keywords or ""))])
