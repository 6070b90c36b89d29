"""The run store: every run and its events, in the SQL database."""

from __future__ import annotations

import builtins
import json
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import (
    JSON,
    ForeignKey,
    Select,
    String,
    Text,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from core.database import value_of
from core.errors import StoreError, UnknownRun
from core.jobs import ALIVE_SECONDS
from core.owned import OwnedRow, OwnedRows, newest_first, shown_to
from core.runs.request import EVALUATION
from core.trace.events import Event, RunFailed, RunFinished, RunPaused, RunStarted, RunStopped, dump, load


class Base(DeclarativeBase):
    """Holds the metadata of the run store's tables."""


class RunRow(OwnedRow, Base):
    """One run."""

    __tablename__ = "runs"

    strategy: Mapped[str] = mapped_column(String(64))
    question: Mapped[str] = mapped_column(Text)
    corpus: Mapped[str | None] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(16))
    """running, paused, finished, failed or stopped."""
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


class ComparisonRow(OwnedRow, Base):
    """One question put through several strategies."""

    __tablename__ = "comparisons"

    question: Mapped[str] = mapped_column(Text)
    runs: Mapped[list[str]] = mapped_column(JSON)
    """Ids of the runs, one per column; a run may have been deleted since."""
    gold: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    """The evidence: where it is, and in which words."""


class GalleryRow(Base):
    """A piece of the gallery that was put into this database: once, so that what is deleted stays deleted."""

    __tablename__ = "gallery"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)


STATES = ("running", "paused", "finished", "failed", "stopped", "interrupted")

_OUTCOMES: dict[type, str] = {
    RunFinished: "finished",
    RunFailed: "failed",
    RunStopped: "stopped",
    RunPaused: "paused",
}


@dataclass(frozen=True)
class RunEntry:
    """A run as it is listed."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    strategy: str
    question: str
    corpus: str | None
    state: str
    """One of `STATES`; interrupted: its process ended in the middle of it."""
    name: str
    pinned: bool
    seconds: float
    recording: str = ""
    """Name of the recording that it began to play, or to keep replies in; empty: none."""
    missing: str = ""
    """Key of the choice who gives replies that the recording lacks, as of `RunStarted`; empty: none plays."""
    graph: str = ""
    """Name of the knowledge graph that it explored, where it searched no documents; empty: none."""
    parent: str = ""
    """Id of the run that it was forked from; empty: none."""

    @property
    def title(self) -> str:
        """Its name, or its question."""
        return self.name or self.question


@dataclass(frozen=True)
class RunFilter:
    """A filter of the runs that are listed; empty fields do not filter."""

    owners: Collection[str] = ()
    """Runs of these; pinned ones are listed whoever asked them. Empty: everybody's but those of evaluations."""
    strategies: Collection[str] = ()
    corpora: Collection[str] = ()
    states: Collection[str] = ()
    text: str = ""
    """Part of the name or the question, upper and lower case alike."""
    pinned: bool = False
    """Pinned ones only."""
    graph: str = ""
    """Name of the knowledge graph they explored."""


@dataclass(frozen=True)
class TokenUse:
    """The tokens that one run sent and got, as its endpoint counted."""

    model: str
    builtin: bool
    calls: int
    """Calls with a reply, at least one."""
    input: int
    output: int
    seconds: float
    """How long the run took."""


class RunStore(OwnedRows):
    """Runs in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata
    row = RunRow
    parts = (EventRow.run,)

    def append(self, run: str, events: Sequence[Event], owner: str = "") -> None:
        """Write a run's next events, at least one; the first batch begins with `run_started` and creates the run."""
        self.add({run: events}, owner)

    def add(self, runs: Mapping[str, Sequence[Event]], owner: str) -> None:
        """Write whole runs, each with its id: all of them or, where one cannot be written, none."""
        with self.session() as session:
            for run, events in runs.items():
                insert_events(session, run, events, owner)

    def keep_alive(self, run: str) -> None:
        """Say that a running run is still being worked on."""
        with self.session() as session:
            change = update(RunRow).where(RunRow.id == run)
            session.execute(change.values(alive_until=time.time() + ALIVE_SECONDS))

    def take_over(self, run: str) -> bool:
        """Claim a run in order to go on with it; False: it is finished, or somebody is at it."""
        now = time.time()
        ended = RunRow.state.in_(["paused", "failed", "stopped"])
        interrupted = (RunRow.state == "running") & (RunRow.alive_until < now)
        change = (
            update(RunRow)
            .where(RunRow.id == run, ended | interrupted)
            .values(state="running", alive_until=now + ALIVE_SECONDS)
        )
        with self.session() as session:
            return session.execute(change.returning(RunRow.id)).first() is not None

    def events(self, run: str) -> builtins.list[Event]:
        """All events of a run, in order.

        Raises:
            UnknownRun: There is no such run.
            StoreError: It cannot be read.
        """
        with self.session() as session:
            query = select(EventRow.body).where(EventRow.run == run).order_by(EventRow.seq)
            bodies = session.scalars(query).all()
        if not bodies:
            raise UnknownRun(f"There is no run '{run[:40]}'. `runs list` shows those there are.")
        try:
            return [load(body) for body in bodies]
        except ValidationError:
            raise StoreError(
                "This run was stored by another version of RAG Loupe and cannot be read by this one."
            ) from None

    def length(self, run: str) -> int:
        """The number of events of a run; 0: there is no such run."""
        with self.session() as session:
            return session.scalar(select(func.count()).where(EventRow.run == run)) or 0

    def started(self, run: str) -> RunStarted | None:
        """The first event of a run; None: there is no such run, or an earlier version stored it."""
        with self.session() as session:
            body = session.scalar(select(EventRow.body).where(EventRow.run == run, EventRow.seq == 0))
        with suppress(ValidationError):
            first = load(body) if body else None
            return first if isinstance(first, RunStarted) else None
        return None

    def entry(self, run: str) -> RunEntry:
        """A run as it is listed.

        Raises:
            UnknownRun: There is no such run.
        """
        with self.session() as session:
            row = session.get(RunRow, run)
            if row is None:
                raise UnknownRun(f"There is no run '{run[:40]}'. `runs list` shows those there are.")
            return entry_of(row, time.time())

    def list(self, wanted: RunFilter = RunFilter(), limit: int = 100) -> builtins.list[RunEntry]:  # frozen
        """The newest runs first, pinned ones before all."""
        query = _filtered(newest_first(RunRow), wanted, time.time()).limit(limit)
        with self.session() as session:
            now = time.time()
            entries = [entry_of(row, now) for row in session.scalars(query)]
            recorded = _begun_with(session, "recording", [run.id for run in entries])
            graphs = _begun_with(session, "graph", [run.id for run in entries if not run.corpus])
            parents = _begun_with(session, "parent", [run.id for run in entries])
            return [
                replace(
                    run,
                    recording=recorded[run.id].get("recording", ""),
                    missing=recorded[run.id].get("missing") or "",
                    graph=graphs[run.id].get("graph", ""),
                    parent=parents[run.id].get("parent", ""),
                )
                for run in entries
            ]

    def token_uses(self, strategy: str, owners: Collection[str], limit: int) -> builtins.list[TokenUse]:
        """The tokens of the newest finished runs of a strategy; forks, and runs whose tokens nobody counted, are left
        out, and those that were played: their seconds are a pace, and their tokens another time's.

        Of the events only the first and those of finished calls are read.
        """
        wanted = RunFilter(owners=owners, strategies=[strategy], states=["finished"])
        finished = _filtered(select(RunRow).order_by(RunRow.created.desc()), wanted, time.time())
        first = (EventRow.run == RunRow.id) & (EventRow.seq == 0)
        alone = (
            EventRow.body.contains(f'"missing":"{missing}"', autoescape=True)
            for missing in ("fail", "builtin")
        )
        finished = finished.where(~exists().where(first, or_(*alone)))
        newest = finished.with_only_columns(RunRow.id, RunRow.seconds).limit(limit)
        with self.session() as session:
            runs = {row.id: row.seconds for row in session.execute(newest)}
            needed = (EventRow.seq == 0) | EventRow.body.contains('"type":"model_finished"', autoescape=True)
            query = select(EventRow.run, EventRow.body).where(EventRow.run.in_(runs), needed)
            bodies: dict[str, builtins.list[dict[str, Any]]] = {run: [] for run in runs}
            for run, body in session.execute(query.order_by(EventRow.run, EventRow.seq)):
                bodies[run].append(json.loads(body))
        uses = (_token_use(events, runs[run]) for run, events in bodies.items())
        return [use for use in uses if use is not None]


def insert_events(session: Session, run: str, events: Sequence[Event], owner: str) -> None:
    """Write a run's next events inside a transaction; see `RunStore.append`."""
    # Before the first statement: from there on, others who want to write wait.
    rows: list[dict[str, Any]] = [{"run": run, "seq": event.seq, "body": dump(event)} for event in events]
    if isinstance(started := events[0], RunStarted):
        session.add(
            RunRow(
                id=run,
                owner=owner,
                created=started.created.astimezone(UTC).replace(tzinfo=None),
                strategy=started.strategy,
                question=started.question,
                corpus=started.corpus,
                state="running",
            )
        )
        session.flush()
    session.execute(insert(EventRow), rows)
    state = _OUTCOMES.get(type(events[-1]), "running")
    values = {
        "state": state,
        "seconds": events[-1].at,
        "alive_until": time.time() + ALIVE_SECONDS,
        "bytes": RunRow.bytes + sum(len(row["body"].encode()) for row in rows),
    }
    session.execute(update(RunRow).where(RunRow.id == run).values(values))


def _filtered(query: Select[Any], wanted: RunFilter, now: float) -> Select[Any]:
    if wanted.owners:
        query = query.where(shown_to(RunRow, wanted.owners))
    else:
        query = query.where(or_(RunRow.owner != EVALUATION, RunRow.pinned))
    if wanted.strategies:
        query = query.where(RunRow.strategy.in_(wanted.strategies))
    if wanted.corpora:
        query = query.where(RunRow.corpus.in_(wanted.corpora))
    if wanted.pinned:
        query = query.where(RunRow.pinned)
    if wanted.graph:
        named = f'"graph":{json.dumps(wanted.graph, ensure_ascii=False)}'
        first = (EventRow.run == RunRow.id) & (EventRow.seq == 0)
        query = query.where(exists().where(first, EventRow.body.contains(named, autoescape=True)))
    if text := wanted.text.strip():
        query = query.where(
            or_(
                RunRow.question.icontains(text, autoescape=True), RunRow.name.icontains(text, autoescape=True)
            )
        )
    if wanted.states:
        alive = (RunRow.state != "running") | (RunRow.alive_until >= now)
        among = alive & RunRow.state.in_(wanted.states)
        query = query.where(or_(among, ~alive) if "interrupted" in wanted.states else among)
    return query


def _begun_with(session: Session, field: str, runs: Sequence[str]) -> defaultdict[str, dict[str, Any]]:
    """By run, the first events in which a text field is not empty; few events are read for that."""
    some = EventRow.body.contains(f'"{field}":"', autoescape=True)
    none = EventRow.body.contains(f'"{field}":""', autoescape=True)
    first = select(EventRow.run, EventRow.body).where(EventRow.run.in_(runs), EventRow.seq == 0, some, ~none)
    return defaultdict(dict, {run: json.loads(body) for run, body in session.execute(first)})


def _token_use(events: Sequence[dict[str, Any]], seconds: float) -> TokenUse | None:
    """From a run's first event and its finished calls, as stored."""
    started = events[0] if events else {}
    finished = [event for event in events[1:] if event["type"] == "model_finished"]
    usages = [event["usage"] for event in finished]
    counted = all(usage.get("input") is not None for usage in usages)
    played = any(event.get("recorded") for event in finished)
    if started.get("type") != "run_started" or started.get("parent") or not usages or not counted or played:
        return None
    return TokenUse(
        started["chat_model"],
        started["builtin"],
        len(usages),
        sum(usage["input"] for usage in usages),
        sum(usage.get("output") or 0 for usage in usages),
        seconds,
    )


def entry_of(row: RunRow, now: float) -> RunEntry:
    """A row as it is listed, `now` seconds since the epoch; without what its first event says."""
    interrupted = row.state == "running" and row.alive_until < now
    return value_of(RunEntry, row, state="interrupted" if interrupted else row.state)
