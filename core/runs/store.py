"""The run store: every run and its events, in the SQL database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pydantic import ValidationError
from sqlalchemy import ForeignKey, String, Text, insert, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from core.database import make_tables, open_engine, store_errors
from core.errors import StoreError, UnknownRun
from core.trace.events import (
    Event,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    dump,
    load,
)

_OUTCOMES: dict[type, str] = {RunFinished: "finished", RunFailed: "failed", RunStopped: "stopped"}


class _Base(DeclarativeBase):
    pass


class StoredRun(_Base):
    """One run; `state` is running, finished, failed or stopped."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime]
    strategy: Mapped[str] = mapped_column(String(64))
    question: Mapped[str] = mapped_column(Text)
    corpus: Mapped[str | None] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(16))


class _StoredEvent(_Base):
    __tablename__ = "run_events"

    run: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[str] = mapped_column(Text)


class RunStore:
    """Reads and writes runs. Every method blocks; call it from a thread."""

    def __init__(self, url: str) -> None:
        self._engine = open_engine(url)
        make_tables(self._engine, _Base.metadata)

    def append(self, run: str, events: Sequence[Event], owner: str = "") -> None:
        """Write a run's next events; the first batch begins with `run_started` and creates the run."""
        if not events:
            return
        with store_errors(), Session(self._engine) as session, session.begin():
            if isinstance(started := events[0], RunStarted):
                session.add(
                    StoredRun(
                        id=run,
                        owner=owner,
                        created=started.created,
                        strategy=started.strategy,
                        question=started.question,
                        corpus=started.corpus,
                        state="running",
                    )
                )
                session.flush()
            rows = [{"run": run, "seq": event.seq, "body": dump(event)} for event in events]
            session.execute(insert(_StoredEvent), rows)
            if outcome := _OUTCOMES.get(type(events[-1])):
                session.execute(update(StoredRun).where(StoredRun.id == run).values(state=outcome))

    def events(self, run: str) -> list[Event]:
        """All events of a run, in order.

        Raises:
            UnknownRun: There is no such run.
            StoreError: It cannot be read.
        """
        with store_errors(), Session(self._engine) as session:
            query = select(_StoredEvent.body).where(_StoredEvent.run == run).order_by(_StoredEvent.seq)
            bodies = session.scalars(query).all()
        if not bodies:
            raise UnknownRun(f"There is no run '{run[:40]}'. `runs list` shows those there are.")
        try:
            return [load(body) for body in bodies]
        except ValidationError:
            raise StoreError(
                "This run was stored by another version of RAG Loupe and cannot be read by this one."
            ) from None

    def list(self, owner: str | None = None, limit: int = 100) -> list[StoredRun]:
        """The newest runs first; with an owner, only theirs."""
        query = select(StoredRun).order_by(StoredRun.created.desc()).limit(limit)
        if owner is not None:
            query = query.where(StoredRun.owner == owner)
        with store_errors(), Session(self._engine, expire_on_commit=False) as session:
            return list(session.scalars(query))


def now() -> datetime:
    """The current time, UTC, as stored with runs."""
    return datetime.now(UTC)
