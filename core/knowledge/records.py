"""Values that the graph store returns, made from the records of the driver."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from core.trace.passages import Frozen

CELL_CHARS = 10_000
CELL_ITEMS = 1_000
EDGES = 3000
"""Edges read in one step."""
Direction = Literal["out", "in"]


class NodeRecord(Frozen):
    """A node."""

    id: str
    name: str
    kind: str = ""
    """“Statement” for a hypernode; in a native graph, its first label."""


class EdgeRecord(Frozen):
    """An edge, as it is directed."""

    src: str
    dst: str
    type: str
    """REL, SUBJECT or OBJECT; in a native graph, its type."""
    rel: str
    """Its name for people: the relation of a REL, else the type."""
    chunk: str = ""
    document: str = ""
    quote: str = ""

    @property
    def key(self) -> str:
        """A key that does not change over time, made of the values that no two edges of a graph of triples share."""
        parts = (self.type, self.src, self.rel, self.dst, self.chunk)
        return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:16]


class Neighbour(Frozen):
    """An edge of a node and what is at its other end."""

    edge: EdgeRecord
    node: NodeRecord


class Neighbourhood(Frozen):
    """A node and what is next to it."""

    node: NodeRecord
    neighbours: tuple[Neighbour, ...]
    hidden: int
    """Edges that are not shown because there are too many."""


class RelationRecord(Frozen):
    """A relation that a node has."""

    id: str
    """Id of the node."""
    rel: str
    type: str
    direction: Direction
    """“out”: the node is the subject."""
    count: int
    """Different nodes at the other end."""


class Hop(Frozen):
    """A relation and the direction in which it is followed; through a hypernode it still is one hop."""

    rel: str
    direction: Direction = "out"
    """“out”: from subject to object."""
    statement: str = ""
    """Relation of the hypernode that it leads through, of which `rel` says more; empty: through none."""

    @property
    def name(self) -> str:
        """The relation in words."""
        return " ".join(f"{self.statement} {self.rel}".replace("_", " ").split())


def relation_arrow(rel: str, direction: Direction) -> str:
    """Return a relation in words as an arrow, e.g. “—acted in→” or “←acted in—”."""
    words = " ".join(rel.replace("_", " ").split())
    return f"—{words}→" if direction == "out" else f"←{words}—"


class Link(Frozen):
    """One edge that was followed."""

    source: str
    """Id of the node it was followed from."""
    node: NodeRecord
    """Node that it leads to."""
    edge: EdgeRecord
    statement: str = ""
    """Name of the hypernode on the way; empty: none."""


class PathRecord(Frozen):
    """A path; edge i joins nodes i and i + 1, in either direction."""

    hops: int
    nodes: tuple[NodeRecord, ...]
    edges: tuple[EdgeRecord, ...]


class Count(Frozen):
    """The number of times that a relation or a label occurs."""

    name: str
    count: int


class Statistics(Frozen):
    """A graph in numbers."""

    nodes: int
    edges: int
    statements: int
    relations: tuple[Count, ...]
    """The most frequent first."""
    labels: tuple[Count, ...]
    connected: tuple[tuple[NodeRecord, int], ...]
    """The nodes with the most edges, with their number."""


class DrawnNode(Frozen):
    """A node in the result of a query that somebody wrote."""

    key: str
    """The server's own, good for this one result."""
    labels: tuple[str, ...]
    properties: dict[str, Any]


class DrawnEdge(Frozen):
    """An edge in the result of a query that somebody wrote."""

    key: str
    src: str
    """Key of its first node."""
    dst: str
    type: str
    properties: dict[str, Any]


@dataclass(frozen=True)
class QueryResult:
    """The result of a query that somebody wrote."""

    columns: list[str]
    rows: list[list[Any]]
    """Plain values that JSON can hold; long texts and lists are cut."""
    truncated: bool
    """True if there are more rows, or a value was cut."""
    seconds: float
    nodes: list[DrawnNode] = field(default_factory=list)
    """Every node in the rows, once, those of paths included."""
    edges: list[DrawnEdge] = field(default_factory=list)
    paths: list[list[str]] = field(default_factory=list)
    """Keys of the nodes and edges of each path, in turn."""


def node_record(value: dict[str, Any]) -> NodeRecord:
    """Return a node from the map that `cypher.node_map` makes."""
    name = value["name"] or value["id"]
    return NodeRecord(id=_text(value["id"]), name=_text(name), kind=_text(value["kind"]))


def edge_record(value: dict[str, Any]) -> EdgeRecord:
    """Return an edge from the map that the statements in `core.knowledge.store.cypher` make."""
    return EdgeRecord(**{name: _text(value.get(name)) for name in EdgeRecord.model_fields})


def count_records(rows: Iterable[dict[str, Any]], key: str) -> tuple[Count, ...]:
    """Return counts from rows with a count, whose name stands under this key."""
    return tuple(Count(name=_text(row[key]), count=row["count"]) for row in rows)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def value_text(value: Any) -> str:
    """Return a value of a table as text."""
    if isinstance(value, dict):
        named = value.get("name") or value.get("title")
        return str(named) if named else ", ".join(f"{key}: {value_text(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return " / ".join(map(value_text, value))
    return "" if value is None else str(value)
