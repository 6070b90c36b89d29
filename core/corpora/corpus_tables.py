"""The catalogue's tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

PENDING = "pending"
"""Documents that are not searched: being indexed, being removed, or left behind by a killed process."""
READY = "ready"


class Base(DeclarativeBase):
    """Holds the metadata of the catalogue's tables."""


class CorpusRow(Base):
    """A corpus: documents that are searched together."""

    __tablename__ = "corpora"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    embedder: Mapped[str] = mapped_column(String(200))
    embedder_name: Mapped[str] = mapped_column(String(200))
    chunk_tokens: Mapped[int]
    overlap_tokens: Mapped[int]
    version: Mapped[int] = mapped_column(default=0)
    """Increased whenever the documents that may be searched change."""
    context_model: Mapped[str] = mapped_column(String(200), default="", server_default="")
    """The model that writes a context for each chunk; empty: none does."""
    context_prompt: Mapped[str] = mapped_column(String(16), default="", server_default="")
    """Hash of the prompt that it is asked with."""
    questions: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    writer: Mapped[str] = mapped_column(String(64), default="")
    """The writer that may change the documents at the moment; empty: none."""
    writer_until: Mapped[float] = mapped_column(default=0.0)
    """Seconds since the epoch at which the writer's hold ends unless it is renewed."""
    owner: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The user who made it; empty: the teacher."""
    moved_from: Mapped[str] = mapped_column(String(80), default="", server_default="")
    """Name of the corpus that comes with the app to which its documents had been added; empty: none."""


class DocumentRow(Base):
    """A document of a corpus. Every chunk in the vector store belongs to a row here."""

    __tablename__ = "documents"

    corpus: Mapped[str] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    """Hash of the document's bytes."""
    name: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text, default="")
    key: Mapped[str] = mapped_column(Text, default="")
    about: Mapped[dict[str, list[str]]] = mapped_column(JSON, default=dict, server_default="{}")
    """What its file says of itself: name of a field -> values."""
    reader: Mapped[int] = mapped_column(server_default="1")
    """Version of the loaders that read it; see `core.corpora.documents.READER`."""
    status: Mapped[str] = mapped_column(String(10), default=PENDING)
    chunks: Mapped[int]
    characters: Mapped[int]
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
