"""ZIP: archives are unpacked where files are gathered, one level deep; only an archive in an archive gets here."""

from __future__ import annotations

from core.corpora.documents import Document
from core.errors import DocumentError


def load_inner_archive(name: str, data: bytes) -> list[Document]:
    """Refuse it.

    Raises:
        DocumentError: Always.
    """
    raise DocumentError(
        f"“{name}” is an archive within an archive, which is not unpacked. Unpack it and add its files."
    )
