"""A home folder with its graph server, triples, and what a graph contains, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.graphs import Graphs
from core.knowledge.triples import Entity, Triple, TripleSource
from core.services.supervisor import Supervisor
from core.settings import Settings


class Place:
    """A home folder with its services and graphs."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.settings = Settings(_env_file=None, rag_loupe_home=home, neo4j_uri="")
        self.supervisor = Supervisor(home)
        self.graphs = Graphs(self.settings, self.supervisor)

    def fresh(self, name: str) -> GraphStore:
        """An empty graph."""
        return self.graphs.store(self.graphs.create(name, "test"))

    def close(self) -> None:
        self.graphs.close()
        self.supervisor.release()


def triple(subject: str, relation: str, object: str, source: TripleSource | None = None) -> Triple:
    """A triple of two plain entities."""
    ends = Entity(name=subject), Entity(name=object)
    return Triple(subject=ends[0], relation=relation, object=ends[1], source=source or TripleSource())


def contents(graphs: Graphs, name: str) -> tuple[list[Any], list[Any]]:
    """Everything in a graph: its nodes, and its edges of every type."""
    store = graphs.open(name)
    nodes = store.query("MATCH (n) RETURN n.id, n.name, n.kind, n.rel, n.chunk, n.quote ORDER BY n.id", 5000)
    edges = store.query(
        "MATCH (a)-[r]->(b) RETURN a.id AS s, type(r) AS t, r.rel AS rel, b.id AS o, r.chunk AS c, r.document, r.quote "
        "ORDER BY s, t, rel, o, c",
        5000,
    )
    assert not nodes.truncated
    assert not edges.truncated
    return nodes.rows, edges.rows
