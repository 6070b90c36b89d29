"""The chunks that were extracted into each graph, and the process that is changing it, in the SQL database."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

from sqlalchemy import JSON, String, Text, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from core.knowledge.store.graph_catalogue import Base, GraphRow, UnknownGraph
from core.owned import LeaseColumns, LeasedRows

_JUDGED = 500
"""Chunks from which the time of a coming one is judged."""


class ChunkRow(Base):
    """A chunk that was extracted, or could not be."""

    __tablename__ = "graph_chunks"

    graph: Mapped[str] = mapped_column(String(32), primary_key=True)
    chunk: Mapped[str] = mapped_column(String(80), primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text, default="")
    triples: Mapped[int] = mapped_column(default=0)
    dropped: Mapped[dict[str, int]] = mapped_column(JSON, default=dict)
    method: Mapped[str] = mapped_column(String(40), default="")
    model: Mapped[str] = mapped_column(Text, default="")
    pending: Mapped[list[Any] | None] = mapped_column(JSON, default=None)
    seconds: Mapped[float | None] = mapped_column(default=None)


class WriterRow(Base):
    """The process that is changing a graph."""

    __tablename__ = "graph_writers"

    graph: Mapped[str] = mapped_column(String(32), primary_key=True)
    writer: Mapped[str] = mapped_column(String(32), default="")
    until: Mapped[float] = mapped_column(default=0.0)


@dataclass(frozen=True)
class ChunkNote:
    """The outcome of one chunk."""

    chunk: str
    title: str
    """Title of its document."""
    reason: str = ""
    """Why it failed; empty: it is in the graph."""
    triples: int = 0
    dropped: dict[str, int] | None = None
    """Triples that were not taken over, by reason."""
    method: str = ""
    model: str = ""
    pending: list[Any] | None = None
    """Its triples, as long as they are not in the graph."""
    seconds: float | None = None
    """Time that the model took; None: it failed, or was done before times were noted."""


class Ledger(LeasedRows):
    """The notes in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata
    lease = LeaseColumns(WriterRow.graph, WriterRow.writer, WriterRow.until)

    def notes(self, graph: str) -> dict[str, ChunkNote]:
        """Return the outcome of each chunk of the graph with this id, by chunk; chunks never tried are not there."""
        with self.session() as session:
            rows = session.scalars(select(ChunkRow).where(ChunkRow.graph == graph).order_by(ChunkRow.chunk))
            return {row.chunk: _note(row) for row in rows}

    def methods(self, graph: str) -> dict[str, str | None]:
        """Return the method by which each chunk was extracted into the graph with this id; None: it failed."""
        wanted = select(ChunkRow.chunk, ChunkRow.reason, ChunkRow.method).where(ChunkRow.graph == graph)
        with self.session() as session:
            return {chunk: None if reason else method for chunk, reason, method in session.execute(wanted)}

    def failures(self, graph: str) -> list[ChunkNote]:
        """Return the chunks of the graph with this id that failed and were not done since."""
        with self.session() as session:
            rows = session.scalars(
                select(ChunkRow)
                .where(ChunkRow.graph == graph, ChunkRow.reason != "")
                .order_by(ChunkRow.title, ChunkRow.chunk)
            )
            return [_note(row) for row in rows]

    def seconds(self, model: str, method: str) -> float | None:
        """Return the median time that this model took for a chunk of any graph; None: it has done none.

        `model` is its name (empty: any), `method` the key of the method of extracting.
        """
        statement = select(ChunkRow.seconds).where(ChunkRow.method == method, ChunkRow.seconds.is_not(None))
        if model:
            statement = statement.where(ChunkRow.model == model)
        with self.session() as session:
            known = [float(value) for value in session.scalars(statement.limit(_JUDGED)) if value is not None]
        return median(known) if known else None

    def note(self, graph: str, note: ChunkNote) -> None:
        """Note the outcome of a chunk, in place of an earlier one."""
        values: dict[str, Any] = {name: getattr(note, name) for name in _FIELDS}
        with self.session() as session:
            session.merge(ChunkRow(graph=graph, **values | {"dropped": note.dropped or {}}))

    def hold(self, target: str, writer: str, seconds: float) -> bool:
        """Hold a graph, whose row is made where it has none yet; see `LeasedRows.hold`."""
        # Another process may make the same row at the same moment.
        with suppress(IntegrityError), self.session(IntegrityError) as session:
            if session.get(WriterRow, target) is None:
                session.add(WriterRow(graph=target))
        return super().hold(target, writer, seconds)

    def version(self, graph: str) -> int:
        """Return 0, always.

        Raises:
            UnknownGraph: The graph with this id has been deleted.
        """
        with self.session() as session:
            if session.get(GraphRow, graph) is None:
                raise UnknownGraph("This graph has been deleted.")
        return 0


def _note(row: ChunkRow) -> ChunkNote:
    return ChunkNote(**{name: getattr(row, name) for name in _FIELDS})


_FIELDS = tuple(ChunkNote.__dataclass_fields__)
