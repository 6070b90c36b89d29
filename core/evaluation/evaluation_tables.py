"""The tables of evaluations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, Text, false
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Holds the metadata of the tables."""


class EvaluationRow(Base):
    """One evaluation: a data set's questions through several settings."""

    __tablename__ = "evaluations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    fingerprint: Mapped[str] = mapped_column(String(32), index=True)
    """Hash of everything that the results depend on."""
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    """See `core.evaluation.plan.Spec`."""
    questions: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    """Questions with answers and gold documents, so that results can be read when the data set is gone."""
    finished: Mapped[bool] = mapped_column(default=False)
    """Whether every pair was tried."""
    name: Mapped[str] = mapped_column(String(200), default="", server_default="")
    pinned: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether the evaluation is listed for everybody."""
    writer: Mapped[str] = mapped_column(String(64), default="")
    """The writer that works on it; empty: none."""
    writer_until: Mapped[float] = mapped_column(default=0.0)
    """Seconds since the epoch at which the writer's hold ends unless it is renewed."""


class PairRow(Base):
    """One question through one setting, done or failed."""

    __tablename__ = "evaluation_pairs"

    evaluation: Mapped[str] = mapped_column(
        ForeignKey("evaluations.id", ondelete="CASCADE"), primary_key=True
    )
    setting: Mapped[int] = mapped_column(primary_key=True)
    """Position of the setting in the spec, from 0."""
    question: Mapped[str] = mapped_column(Text, primary_key=True)
    """Id of the question in the data set."""
    error: Mapped[str] = mapped_column(Text, default="")
    """Reason of the failure; empty: the pair is done."""
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    """See `core.evaluation.plan.Result`."""
