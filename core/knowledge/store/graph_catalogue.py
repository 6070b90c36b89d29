"""The catalogue of graphs, and the entities that they quote, in the SQL database beside that of the corpora."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import JSON, String, Text, delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.corpora.documents import stored_name
from core.database import Store, value_of
from core.errors import InputError
from core.knowledge.triples import Quoted

MAX_NAME = 80


class UnknownGraph(InputError):
    """There is no graph of that name."""


class Base(DeclarativeBase):
    """Holds the metadata of this table."""


class GraphRow(Base):
    """A graph."""

    __tablename__ = "graphs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    database: Mapped[str] = mapped_column(String(63))
    origin: Mapped[str] = mapped_column(Text)
    corpus: Mapped[str] = mapped_column(String(80), default="")
    native: Mapped[bool]
    ready: Mapped[bool] = mapped_column(default=False)
    nodes: Mapped[int] = mapped_column(default=0)
    edges: Mapped[int] = mapped_column(default=0)
    version: Mapped[int] = mapped_column(default=0, server_default="0")
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    owner: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The user who made it; empty: the teacher."""
    mark: Mapped[str] = mapped_column(String(64), default="", server_default="")


class EntitiesRow(Base):
    """The entities of one version of a graph, kept so that no graph server has to be started for them again."""

    __tablename__ = "graph_told"

    graph: Mapped[str] = mapped_column(String(32), primary_key=True)
    version: Mapped[int]
    quoted: Mapped[Quoted] = mapped_column(JSON)


@dataclass(frozen=True)
class Graph:
    """A graph as the catalogue has it."""

    id: str
    name: str
    database: str
    """Its database on the graph server; empty: the server's only one."""
    origin: str
    """Origin, for people: a file's name, a corpus, a data set."""
    corpus: str
    """Name of the corpus whose documents its triples cite; empty: none."""
    native: bool
    """True if it has labels and types of its own."""
    ready: bool
    """True if the last import into it has come to its end."""
    nodes: int
    edges: int
    version: int
    """Rises with every change, when it begins and when it ends."""
    created: datetime
    owner: str
    """The user who made it; empty: the teacher."""
    mark: str
    """Hash of the triples of a graph that comes with the app, if a later version may replace it."""


class GraphCatalogue(Store):
    """The graphs in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata

    def graphs(self) -> list[Graph]:
        """Return all graphs, by name."""
        with self.session() as session:
            return [value_of(Graph, row) for row in session.scalars(select(GraphRow).order_by(GraphRow.name))]

    def graph(self, name: str, offered: Sequence[str] = ()) -> Graph:
        """Return the graph of that name; `offered`: names of graphs that are not there yet and can be asked for.

        Raises:
            UnknownGraph: There is none; the message names those that exist.
        """
        graphs = self.graphs()
        wanted = unicodedata.normalize("NFC", name.strip())
        for graph in graphs:
            if graph.name == wanted:
                return graph
        known = dict.fromkeys([*offered, *(graph.name for graph in graphs)])
        names = ", ".join(f"“{title}”" for title in known)
        existing = f"Existing: {names}." if names else "There are none yet; import or build one first."
        raise UnknownGraph(f"There is no graph named “{wanted[:MAX_NAME]}”. {existing}")

    def create(
        self, name: str, origin: str, corpus: str = "", native: bool = False, owner: str = ""
    ) -> Graph:
        """Note a graph that is about to be made; it is not ready yet.

        Raises:
            InputError: There is one of that name, or the name is unfit (see `graph_name`).
        """
        ident = f"g{uuid.uuid4().hex[:15]}"
        row = GraphRow(
            id=ident,
            name=graph_name(name),
            database=ident,
            origin=origin,
            corpus=corpus,
            native=native,
            owner=owner,
        )
        with self.session() as session:
            try:
                session.add(row)
                session.flush()
            except IntegrityError:
                raise InputError(f"There is already a graph named “{graph_name(name)}”.") from None
            session.refresh(row)
            return value_of(Graph, row)

    def change(self, graph: str, **values: object) -> None:
        """Set columns of the graph with this id."""
        with self.session() as session:
            session.execute(update(GraphRow).where(GraphRow.id == graph).values(**values))

    def begin(self, graph: str, ready: bool = False) -> None:
        """Note that the graph with this id is being changed, and whether it can be used meanwhile."""
        self.change(graph, ready=ready, version=GraphRow.version + 1)

    def finish(self, graph: str, nodes: int, edges: int, ready: bool = True) -> None:
        """Note the size of the graph with this id, and whether what changed it has come to its end."""
        self.change(graph, ready=ready, nodes=nodes, edges=edges, version=GraphRow.version + 1)

    def rename_corpus(self, corpus: str, name: str) -> None:
        """Note that the corpus of some graphs has another name now."""
        with self.session() as session:
            session.execute(update(GraphRow).where(GraphRow.corpus == corpus).values(corpus=name))

    def forget(self, graph: str) -> None:
        """Drop the graph with this id, with what the tables of merges and chunks hold of it."""
        with self.session() as session:
            for table in self.tables.sorted_tables:
                key = table.c.id if table is GraphRow.__table__ else table.c.graph
                session.execute(delete(table).where(key == graph))

    def quoted(self, graph: Graph) -> Quoted | None:
        """Return the entities of a graph; None: they have not been kept since it changed."""
        wanted = select(EntitiesRow.quoted).where(
            EntitiesRow.graph == graph.id, EntitiesRow.version == graph.version
        )
        with self.session() as session:
            return session.scalar(wanted)

    def keep_quoted(self, graph: Graph, quoted: Quoted) -> None:
        """Keep the entities of a graph until it changes or is deleted."""
        row = EntitiesRow(graph=graph.id, version=graph.version, quoted=quoted)
        with suppress(IntegrityError), self.session(IntegrityError) as session:  # another process was quicker
            session.merge(row)


def graph_name(name: str) -> str:
    """Return the name of a graph as it is stored; raises `InputError` where it is unfit, see `stored_name`."""
    return stored_name(name, "a graph", MAX_NAME)
