"""One graph in the graph database: writing triples, looking around in it, its numbers and its schema."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from core.errors import InputError
from core.knowledge.records import (
    EDGES,
    Hop,
    Link,
    Neighbour,
    Neighbourhood,
    NodeRecord,
    PathRecord,
    QueryResult,
    RelationRecord,
    Statistics,
    count_records,
    edge_record,
    node_record,
)
from core.knowledge.store import cypher, cypher_writing
from core.knowledge.store.graph_server import GraphServer, graph_errors
from core.knowledge.store.query_guard import check_read_only
from core.knowledge.store.user_queries import ROW_LIMIT, SECONDS, run_user_query
from core.knowledge.triples import PARTS, Triple, entity_id

if TYPE_CHECKING:
    from neo4j import ManagedTransaction
    from neo4j.exceptions import Neo4jError

BATCH = 500
"""Triples in one transaction."""
MAX_HOPS = 4
SAMPLE = 2000
"""Nodes, and edges, whose properties are looked at."""
SCHEMA_LINES = 60
"""Of each kind; a larger schema is no help for a model either."""
_EXAMPLE_CHARS = 40
_HIDDEN = {("Entity", "chunk"), ("Entity", "document"), ("Entity", "quote")}
_TRIES = 5
"""Of a transaction that makes what another one has made meanwhile."""
_PAGE = 2000


class GraphStore:
    """A graph. Calls block; from a coroutine, use a thread.

    Every method raises `ServiceError` when the server does not answer, and `StoreError` when the graph is gone
    or the server reports an error.
    """

    def __init__(self, server: GraphServer, database: str, native: bool = False) -> None:
        """Open it; `native`: whether it has labels and types of its own. A node's id is then its name or title."""
        self._server = server
        self._database = database or None
        self.native = native

    # Writing

    def prepare(self) -> None:
        """Make ready for triples; needed once, and harmless again."""
        with graph_errors(), self._server.driver().session(database=self._database) as session:
            session.run(cypher_writing.CONSTRAINT).consume()

    def write(self, triples: Iterable[Triple], progress: Callable[[int], None] = lambda _: None) -> int:
        """Write triples with their nodes and hypernodes; how many. What is there already is not written twice.

        In transactions of `BATCH` triples: what `progress` was told of, in triples so far, is kept whatever
        happens next.
        """
        done, rest = 0, iter(triples)
        while batch := list(islice(rest, BATCH)):
            self.change(cypher_writing.writing_steps(batch))
            done += len(batch)
            progress(done)
        return done

    def change(self, steps: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Run statements of our own, or checked ones of a script, with their parameters: all of them or none.

        Where somebody else makes the same node at the same moment, the second one finds it when it tries again.
        """
        from neo4j.exceptions import Neo4jError

        def work(tx: ManagedTransaction) -> None:
            for text, parameters in steps:
                tx.run(text, parameters).consume()

        steps = list(steps)  # a transaction may be tried again
        with graph_errors(), self._server.driver().session(database=self._database) as session:
            for _ in range(_TRIES - 1):
                try:
                    session.execute_write(work)
                    return
                except Neo4jError as error:
                    if not _made_twice(error):
                        raise
            session.execute_write(work)

    # Looking around

    def entities(self) -> list[dict[str, Any]]:
        """Return all nodes but hypernodes: id, name, kind and number of edges. Only of a graph made of triples."""
        return list(self._paged(cypher.ENTITIES))

    def present(self, idents: Sequence[str]) -> dict[str, NodeRecord]:
        """Return the nodes with these ids that are in the graph, by id. Only of a graph made of triples."""
        rows = self.read(cypher.PRESENT, ids=list(idents)) if idents else []
        return {row["id"]: node_record(row) for row in rows}

    def edges(self, ident: str) -> list[dict[str, Any]]:
        """Return all edges of a node: type, s, rel, t and source. Only of a graph made of triples."""
        return [row for text in (cypher.EDGES_OUT, cypher.EDGES_IN) for row in self.read(text, id=ident)]

    def get(self, ident: str) -> NodeRecord | None:
        """Return the node with this id; None if there is none."""
        rows = self.read(cypher.get(self.native), id=ident)
        return node_record(rows[0]["node"]) if rows else None

    def find(self, text: str, limit: int = 20) -> list[NodeRecord]:
        """Return nodes whose name holds the text, the same name first; nothing for an empty text."""
        text = text.strip()
        if not text:
            return []
        ident = text if self.native else entity_id(text)
        rows = self.read(cypher.find(self.native), text=text.lower(), id=ident, limit=limit)
        return [node_record(row["node"]) for row in rows]

    def neighbourhood(self, ident: str, limit: int = 50) -> Neighbourhood:
        """Return a node and its edges, at most `limit` of them.

        Raises:
            InputError: There is no such node.
        """
        node = self.get(ident)
        if node is None:
            raise InputError(f"There is no node “{ident[:80]}” in this graph.")
        rows = self.read(cypher.neighbours(self.native), id=ident, limit=limit)
        neighbours = tuple(Neighbour(edge=edge_record(r["edge"]), node=node_record(r["node"])) for r in rows)
        total = self.read(cypher.count_neighbours(self.native), id=ident)[0]["count"]
        return Neighbourhood(node=node, neighbours=neighbours, hidden=max(0, total - len(neighbours)))

    def relations(self, idents: Sequence[str]) -> list[RelationRecord]:
        """Return the relations of these nodes, by direction, with how many different nodes each leads to."""
        return [RelationRecord(**row) for row in self.read(cypher.relations(self.native), ids=list(idents))]

    # Exploring

    def nodes(self) -> Iterator[tuple[NodeRecord, str, str]]:
        """Yield all nodes, each with the chunk and the document of a hypernode, page by page."""
        for row in self._paged(cypher.nodes(self.native)):
            if row["node"]["id"] is not None:
                yield node_record(row["node"]), row["chunk"] or "", row["document"] or ""

    def relation_names(self) -> list[str]:
        """Return the names of all relations, the most frequent first."""
        return [str(row["rel"]) for row in self.read(cypher.COUNT_RELATIONS, limit=_PAGE)]

    def qualifying_hops(self, limit: int) -> list[Hop]:
        """Return relations that qualify facts, as “since” does “broadcast by”, the most frequent first."""
        return [
            Hop(rel=row["rel"], statement=row["statement"])
            for row in self.read(cypher.QUALIFYING_RELATIONS, limit=limit)
        ]

    def hops(self, idents: Sequence[str], hypernodes: bool = True) -> list[tuple[Hop, int]]:
        """Return the hops that are possible from any of these nodes, each with the number of nodes that it leads to."""
        ids = list(idents)
        rows = self.read(cypher.hops(self.native), ids=ids)
        if hypernodes and not self.native:
            rows += [row for way in ("out", "in") for row in self.read(cypher.statement_hops(way), ids=ids)]
        return [(Hop(**{key: row[key] for key in Hop.model_fields}), row["count"]) for row in rows]

    def follow(self, idents: Sequence[str], hop: Hop, limit: int = EDGES) -> list[Link]:
        """Return the links by which a hop leads on from these nodes; at most `limit` of them."""
        text, parameters = self.following(idents, hop, limit)
        return [
            Link(
                source=row["source"],
                node=node_record(row["node"]),
                edge=edge_record(row["edge"]),
                statement=row["statement"] or "",
            )
            for row in self.read(text, **parameters)
        ]

    def following(self, idents: Sequence[str], hop: Hop, limit: int = EDGES) -> tuple[str, dict[str, Any]]:
        """Return the query that `follow` runs, and its parameters."""
        parameters = {"ids": list(idents), "rel": hop.rel, "limit": limit}
        if hop.statement:
            return cypher.follow_statement(hop.direction), parameters | {"statement": hop.statement}
        return cypher.follow(hop.direction, self.native), parameters

    def paths(self, source: str, target: str, hops: int = 3, limit: int = 20) -> list[PathRecord]:
        """Return paths between two nodes, in any direction, short ones first.

        Raises:
            InputError: `hops` is not within 1 and `MAX_HOPS`.
        """
        if not 1 <= hops <= MAX_HOPS:
            raise InputError(f"A path may have 1 to {MAX_HOPS} hops.")
        rows = self.read(cypher.paths(hops, self.native), s=source, t=target, limit=limit)
        return [
            PathRecord(
                hops=row["hops"],
                nodes=tuple(node_record(node) for node in row["nodes"]),
                edges=tuple(edge_record(edge) for edge in row["edges"]),
            )
            for row in rows
        ]

    # Numbers and schema, by queries of our own, since no two servers agree on theirs

    def statistics(self, limit: int = 20) -> Statistics:
        """Return the graph in numbers; lists have at most `limit` entries."""
        relations = self.read(cypher.COUNT_RELATIONS, limit=limit)
        labels = self.read(cypher.COUNT_LABELS, limit=limit)
        connected = self.read(cypher.most_connected(self.native), limit=limit)
        return Statistics(
            nodes=self._count(cypher.COUNT_NODES),
            edges=self._count(cypher.COUNT_EDGES),
            statements=0 if self.native else self._count(cypher.COUNT_STATEMENTS),
            relations=count_records(relations, "rel"),
            labels=count_records(labels, "label"),
            connected=tuple((node_record(row["node"]), row["count"]) for row in connected),
        )

    def _count(self, text: str) -> int:
        rows = self.read(text)
        return int(rows[0]["count"]) if rows else 0

    def properties(self) -> dict[str, list[str]]:
        """Return the names of the properties that nodes of each label have."""
        names: dict[str, list[str]] = defaultdict(list)
        for row in self.read(cypher.NODE_PROPERTIES, sample=SAMPLE, limit=SCHEMA_LINES):
            if (row["label"], row["key"]) not in _HIDDEN:
                names[str(row["label"])].append(str(row["key"]))
        return dict(names)

    def schema_text(self) -> str:
        """Return the schema as a model reads it before it writes Cypher.

        Labels with their properties, types with theirs, both with examples, which labels each type joins, and the
        relations of `REL`.
        """
        patterns = self.read(cypher.EDGE_PATTERNS, limit=SCHEMA_LINES)
        lines = ["Node properties:"]
        lines += _properties(self.read(cypher.NODE_PROPERTIES, sample=SAMPLE, limit=SCHEMA_LINES), "label")
        edges = _properties(self.read(cypher.EDGE_PROPERTIES, sample=SAMPLE, limit=SCHEMA_LINES), "type")
        if edges:
            lines += ["Relationship properties:", *edges]
        lines.append("The relationships:")
        lines += [f"(:{_name(p['source'])})-[:{_name(p['type'])}]->(:{_name(p['target'])})" for p in patterns]
        if any(pattern["type"] == "REL" for pattern in patterns):
            rows = self.read(cypher.COUNT_RELATIONS, limit=SCHEMA_LINES)
            names = [f'"{row["rel"]}" ({row["count"]})' for row in rows if row["rel"] not in PARTS]
            lines.append(f"Values of `rel` on REL, with their number: {', '.join(names)}")
        return "\n".join(lines)

    # Queries

    def query(
        self,
        text: str,
        row_limit: int = ROW_LIMIT,
        seconds: float = SECONDS,
        parameters: Mapping[str, Any] | None = None,
    ) -> QueryResult:
        """Run a query that a user or a model wrote: behind the guard, with limits on rows and time.

        Raises:
            RefusedQuery: It does more than read.
            InputError: The server finds a mistake in it, or it took too long.
        """
        checked = check_read_only(text)
        return run_user_query(self._server, self._database, checked, row_limit, seconds, parameters)

    def read(self, statement: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """Return the rows of one of our own statements."""

        def work(tx: ManagedTransaction) -> list[dict[str, Any]]:
            return [record.data() for record in tx.run(statement, parameters)]

        with graph_errors(), self._server.driver().session(database=self._database) as session:
            return session.execute_read(work)

    def _paged(self, statement: str) -> Iterator[dict[str, Any]]:
        """Yield all rows of a statement with the parameters $skip and $limit, page by page."""
        skip = 0
        while rows := self.read(statement, skip=skip, limit=_PAGE):
            yield from rows
            skip += len(rows)


def _made_twice(error: Neo4jError) -> bool:
    """Return True if a node was made that is there already, as ArcadeDB and Neo4j say it."""
    return "Duplicated key" in (error.message or "") or (error.code or "").endswith(
        "ConstraintValidationFailed"
    )


def _properties(rows: list[dict[str, Any]], key: str) -> list[str]:
    described: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if (row[key], row["key"]) not in _HIDDEN:
            described[row[key]].append(f"{_name(row['key'])}: {_kind(row['example'])}")
    return [f"{_name(name)} {{{', '.join(properties)}}}" for name, properties in described.items()]


def _kind(value: Any) -> str:
    """Return the type and example of a property."""
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int | float):
        return f"{'INTEGER' if isinstance(value, int) else 'FLOAT'} e.g. {value}"
    if isinstance(value, list):
        return "LIST"
    if isinstance(value, str):
        return f"STRING e.g. {value[:_EXAMPLE_CHARS]!r}"
    return type(value).__name__.upper()


def _name(name: Any) -> str:
    text = str(name)
    return text if text.isidentifier() else "`" + text.replace("`", "``") + "`"
