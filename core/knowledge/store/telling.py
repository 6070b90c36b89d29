"""What the passages of a corpus tell of by a graph: its entities, each with the words that were quoted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress

from sqlalchemy import JSON, String, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from core.database import Store
from core.knowledge.store.graph_catalogue import Base, Graph
from core.knowledge.triples import Entity, Triple, entity_id

Quoted = dict[str, dict[str, str]]
"""Name of each entity -> ids of the chunks that triples about it quote -> the words quoted."""


class ToldRow(Base):
    """The entities of one version of a graph."""

    __tablename__ = "graph_told"

    graph: Mapped[str] = mapped_column(String(32), primary_key=True)
    version: Mapped[int]
    quoted: Mapped[Quoted] = mapped_column(JSON)


class Telling(Store):
    """What was read from graphs, so that no graph server has to be asked, or started, for it again. Calls block."""

    tables = Base.metadata

    def of(self, graph: Graph) -> Quoted | None:
        """The entities of a graph; None: they have not been kept since it changed."""
        wanted = select(ToldRow.quoted).where(ToldRow.graph == graph.id, ToldRow.version == graph.version)
        with self.session() as session:
            return session.scalar(wanted)

    def keep(self, graph: Graph, quoted: Quoted) -> None:
        """Keep them until the graph changes or is deleted."""
        row = ToldRow(graph=graph.id, version=graph.version, quoted=quoted)
        with suppress(IntegrityError), self.session(IntegrityError) as session:  # another process was quicker
            session.merge(row)


def quoted_by(triples: Iterable[Triple]) -> Quoted:
    """The entities of triples that quote a chunk, by the first of their names; those within hypernodes, too."""
    names: dict[str, str] = {}
    found: Quoted = defaultdict(dict)
    for one in triples:
        for node in one.nodes if one.source.chunk else ():
            if isinstance(node, Entity):
                words = found[names.setdefault(node.id, node.name)]
                words.setdefault(one.source.chunk, one.source.quote)
    return dict(found)


def united(each: Iterable[Quoted]) -> Quoted:
    """The entities of several graphs as those of one, by the first of their names."""
    names: dict[str, str] = {}
    found: Quoted = defaultdict(dict)
    for quoted in each:
        for name, words in quoted.items():
            known = names.setdefault(entity_id(name), name)
            found[known] = words | found[known]
    return dict(found)
