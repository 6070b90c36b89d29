"""The run store's tables."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, Text, false
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Holds the metadata of the run store's tables."""


class RunRow(Base):
    """One run."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime] = mapped_column(index=True)
    """UTC; without a zone because SQLite keeps none."""
    strategy: Mapped[str] = mapped_column(String(64))
    question: Mapped[str] = mapped_column(Text)
    corpus: Mapped[str | None] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(16))
    """running, paused, finished, failed or stopped."""
    name: Mapped[str] = mapped_column(Text, server_default="")
    """What its owner calls it; empty: its question stands for it."""
    pinned: Mapped[bool] = mapped_column(server_default=false())
    seconds: Mapped[float] = mapped_column(server_default="0")
    """Time of its last event."""
    bytes: Mapped[int] = mapped_column(server_default="0")
    """Of its events; 0 for runs that were stored before this was counted."""
    alive_until: Mapped[float] = mapped_column(server_default="0")
    """Seconds since the epoch until when a running run's process counts as alive unless it says so again."""


class EventRow(Base):
    """One event of a run, as a line of JSON."""

    __tablename__ = "run_events"

    run: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[str] = mapped_column(Text)


class ComparisonRow(Base):
    """One question put through several strategies."""

    __tablename__ = "comparisons"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime] = mapped_column(index=True)
    """UTC; without a zone because SQLite keeps none."""
    question: Mapped[str] = mapped_column(Text)
    runs: Mapped[list[str]] = mapped_column(JSON)
    """Ids of the runs, one per column; a run may have been deleted since."""
    gold: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    """The evidence: where it is, and in which words."""
    name: Mapped[str] = mapped_column(Text, server_default="")
    pinned: Mapped[bool] = mapped_column(server_default=false())


class GalleryRow(Base):
    """What was put into this database of the gallery: once, so that what is deleted stays deleted."""

    __tablename__ = "gallery"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
