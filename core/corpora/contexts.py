"""Contexts for chunks: sentences that a model writes about each of them, for the index alone.

After Anthropic: Introducing Contextual Retrieval. 2024. The vector and the keywords of a chunk are those of its title,
its context and its text; what is shown, quoted and given to an answer is its text. The replies are kept in the SQL
database, so that none is paid for twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Protocol

from sqlalchemy import JSON, String, delete, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.corpora.entries import Contextual, Corpus
from core.corpora.gathering import Work
from core.corpora.reports import ContextReport, Skipped, Tracker
from core.database import Store
from core.errors import InputError, ModelError

AHEAD = 16
"""Documents whose contexts are written at once, as far as the model is asked that often at a time."""
GIVE_UP = 3
"""Documents that the endpoint fails one after the other before the work ends: it will not answer the next either."""


class ContextWriter(Protocol):
    """Writes contexts, and counts what that takes."""

    @property
    def kind(self) -> Contextual:
        """The model that writes, and the hash of its prompt."""

    @property
    def report(self) -> ContextReport:
        """Calls, tokens and time until now."""

    async def write(self, work: Work) -> Work:
        """Return a document whose chunks have contexts, as far as the model gave some.

        Raises:
            ModelError: The endpoint failed. What it had replied is kept.
        """


def contexts_text(contextual: Contextual | None) -> str:
    """Return words about contexts that follow “in 12 chunks of at most 240 tokens”; empty: there are none."""
    return f", each searched with a context that {contextual.model} wrote" if contextual else ""


def check_contexts(corpus: Corpus, writer: ContextWriter | None) -> None:
    """Refuse to mix chunks with contexts of two models, or with none; the wording of the prompt may change.

    Raises:
        InputError: The corpus has contexts, and nobody or another model would write those of new documents.
    """
    if corpus.contextual is None:
        return
    model = corpus.contextual.model
    if writer is None:
        raise InputError(
            f"Each chunk of “{corpus.name}” has a context that the model “{model}” wrote, and without it no document "
            "can be added. Set its endpoint, or index the documents as another corpus."
        )
    if writer.kind.model != model:
        raise InputError(
            f"The contexts of the chunks of “{corpus.name}” are by the model “{model}”, but “{writer.kind.model}” is "
            "in use. Switch back to it, or index the documents as another corpus."
        )


async def with_contexts(
    works: AsyncGenerator[Work], writer: ContextWriter, skipped: list[Skipped], tracker: Tracker
) -> AsyncGenerator[Work]:
    """Yield the documents in their order, each when all of its contexts are there; a few ahead are with the model.

    Documents that the endpoint failed are left out and go to `skipped`: they can be added again.

    Raises:
        ModelError: The endpoint failed several documents in a row.
    """
    under_way: deque[asyncio.Task[Work | None]] = deque()
    failures = 0  # documents that the endpoint has failed one after the other

    async def write(work: Work) -> Work | None:
        nonlocal failures
        name = work.document.name
        try:
            done = await writer.write(work)
        except ModelError as error:
            failures += 1
            if failures >= GIVE_UP:
                raise ModelError(
                    f"{error} Nothing is lost: do the same again, and it goes on from here."
                ) from None
            skipped.append(Skipped(file=name, reason=f"“{name}” has no contexts: {error} Add it again."))
            return None
        failures = 0
        situated = (tracker.now.situated or 0) + len(work.passages)
        tracker.update(stage="indexing", situated=situated, current=name)
        return done

    try:
        async with aclosing(works):
            async for work in works:
                under_way.append(asyncio.create_task(write(work)))
                if len(under_way) >= AHEAD and (ready := await under_way.popleft()):
                    yield ready
        while under_way:
            if ready := await under_way.popleft():
                yield ready
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


# Kept replies

STORED_DAYS = 30
"""Time for which a reply is kept: an import that was cut off goes on within days. The contexts themselves lie with
their chunks."""
_JUDGED = 500
"""Calls from which the time and length of coming ones are judged."""


class Base(DeclarativeBase):
    """Holds the metadata of the table of replies."""


class ReplyRow(Base):
    """A model's reply to one request for contexts."""

    __tablename__ = "context_replies"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    model: Mapped[str] = mapped_column(String(200))
    contexts: Mapped[dict[str, str]] = mapped_column(JSON)
    asked: Mapped[int]
    tokens_out: Mapped[int | None]
    seconds: Mapped[float]
    owner: Mapped[str] = mapped_column(String(64), server_default="")
    """The user whose documents it is about; empty: the teacher, or it was kept before this was noted."""


@dataclass(frozen=True)
class PastCalls:
    """Time and length of a model's calls: the medians of the last ones."""

    seconds: float
    """Time of one call."""
    tokens_out: float | None
    """Written for one chunk; None: the endpoint does not count."""


class ContextLedger(Store):
    """The replies in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata

    def known(self, key: str) -> dict[int, str] | None:
        """Return the contexts, by their numbers, replied to a request (`request_key`); None: it was never sent."""
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
        owner: str = "",
    ) -> None:
        """Keep a reply to a request (`request_key`); those older than `STORED_DAYS` are dropped.

        It holds the contexts by their numbers; so many were asked for, and writing them took so many tokens (None: not
        known) and seconds. `owner`: whose documents they are about.
        """
        numbered = {str(number): text for number, text in contexts.items()}
        too_old = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=STORED_DAYS)
        row = ReplyRow(
            key=key,
            model=model,
            contexts=numbered,
            asked=asked,
            tokens_out=tokens_out,
            seconds=seconds,
            owner=owner,
        )
        with self.session() as session:
            session.execute(delete(ReplyRow).where(ReplyRow.created < too_old))
            session.merge(row)

    def past(self, model: str) -> PastCalls | None:
        """Return the time and length of the calls of the model of this name (empty: any); None: there were none."""
        newest = select(ReplyRow.seconds, ReplyRow.tokens_out, ReplyRow.asked)
        if model:
            newest = newest.where(ReplyRow.model == model)
        with self.session() as session:
            rows = session.execute(newest.order_by(ReplyRow.created.desc()).limit(_JUDGED)).all()
        if not rows:
            return None
        written = [row.tokens_out / row.asked for row in rows if row.tokens_out and row.asked]
        return PastCalls(median(row.seconds for row in rows), median(written) if written else None)


def request_key(endpoint: Sequence[str], messages: Sequence[tuple[str, str]]) -> str:
    """Return the key of a request: the same for the same messages (role and content) to a model at the same place.
    The name of a model alone is no place: anybody may call a model of their own as another is called."""
    return hashlib.sha256(json.dumps([list(endpoint), *messages]).encode("utf-8", "replace")).hexdigest()
