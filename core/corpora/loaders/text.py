"""Plain text."""

from __future__ import annotations

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode


def load_text(name: str, data: bytes) -> list[Document]:
    """A text file as it stands.

    Raises:
        DocumentError: It is not text.
    """
    builder = TextBuilder()
    builder.block(decode(name, data))
    return [builder.build(name, data)]
