"""The tables of recordings."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint, false, true
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Holds the metadata of the tables."""


class RecordingRow(Base):
    """One recording."""

    __tablename__ = "recordings"
    __table_args__ = (UniqueConstraint("owner", "name"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime]
    """UTC; without a zone because SQLite keeps none."""
    name: Mapped[str] = mapped_column(String(200))
    model: Mapped[str] = mapped_column(String(200))
    licence: Mapped[str] = mapped_column(Text, server_default="")
    measured: Mapped[bool] = mapped_column(server_default=true())
    pinned: Mapped[bool] = mapped_column(server_default=false())
    """Whether everybody may play it."""
    replies: Mapped[int] = mapped_column(server_default="0")
    bytes: Mapped[int] = mapped_column(server_default="0")
    """Of its items."""


class ItemRow(Base):
    """One thing that a recording holds, as a line of JSON; see `core.models.recordings.items`."""

    __tablename__ = "recording_items"

    recording: Mapped[str] = mapped_column(ForeignKey("recordings.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    body: Mapped[str] = mapped_column(Text)
