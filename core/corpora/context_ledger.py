"""Replies with contexts for chunks, kept in the SQL database, so that no reply is paid for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from sqlalchemy import JSON, String, delete, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.database import Store

KEPT_DAYS = 30
"""How long a reply is kept: an import that was cut off goes on within days. The contexts themselves lie with their
chunks."""
_JUDGED = 500
"""Calls from which the time and length of coming ones are judged."""


class Base(DeclarativeBase):
    """Holds the metadata of the table."""


class ReplyRow(Base):
    """What a model replied to one request for contexts."""

    __tablename__ = "context_replies"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    model: Mapped[str] = mapped_column(String(200))
    contexts: Mapped[dict[str, str]] = mapped_column(JSON)
    asked: Mapped[int]
    tokens_out: Mapped[int | None]
    seconds: Mapped[float]


@dataclass(frozen=True)
class PastCalls:
    """How the calls of a model were, in the middle of some."""

    seconds: float
    """Of one call."""
    tokens_out: float | None
    """Written for one chunk; None: the endpoint does not count."""


class ContextLedger(Store):
    """The replies in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata

    def known(self, key: str) -> dict[int, str] | None:
        """The contexts by their numbers that were replied to a request, see `request_key`; None: it was never sent."""
        with self.session() as session:
            row = session.get(ReplyRow, key)
            return {int(number): text for number, text in row.contexts.items()} if row else None

    def note(
        self,
        key: str,
        model: str,
        contexts: Mapping[int, str],
        asked: int,
        tokens_out: int | None,
        seconds: float,
    ) -> None:
        """Keep a reply; those older than `KEPT_DAYS` are dropped.

        Args:
            key: See `request_key`.
            model: Its name.
            contexts: By their numbers.
            asked: How many were asked for.
            tokens_out: Written; None: not known.
            seconds: That it took.
        """
        numbered = {str(number): text for number, text in contexts.items()}
        too_old = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=KEPT_DAYS)
        row = ReplyRow(
            key=key, model=model, contexts=numbered, asked=asked, tokens_out=tokens_out, seconds=seconds
        )
        with self.session() as session:
            session.execute(delete(ReplyRow).where(ReplyRow.created < too_old))
            session.merge(row)

    def past(self, model: str) -> PastCalls | None:
        """How this model's calls were; None: it has not been asked yet.

        Args:
            model: Its name; empty: any.
        """
        newest = select(ReplyRow.seconds, ReplyRow.tokens_out, ReplyRow.asked)
        if model:
            newest = newest.where(ReplyRow.model == model)
        with self.session() as session:
            rows = session.execute(newest.order_by(ReplyRow.created.desc()).limit(_JUDGED)).all()
        if not rows:
            return None
        written = [row.tokens_out / row.asked for row in rows if row.tokens_out and row.asked]
        return PastCalls(median(row.seconds for row in rows), median(written) if written else None)


def request_key(asked: Sequence[str], messages: Sequence[tuple[str, str]]) -> str:
    """Key of a request: the same for the same messages (role and content) to the same model at the same place.

    Args:
        asked: Who answers. A name alone says nothing: anybody may call a model of their own as another is called.
        messages: As they are sent.
    """
    return hashlib.sha256(json.dumps([list(asked), *messages]).encode("utf-8", "replace")).hexdigest()
