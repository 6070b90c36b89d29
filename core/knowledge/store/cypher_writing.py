"""The Cypher texts that change a graph, or the databases of graphs, and triples as their rows.

See `core.knowledge.store.cypher`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.knowledge.triples import Statement, Triple, TripleSource

CONSTRAINT = "CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE"
"""One node per id, which is also the index that every look-up uses."""

WRITE_ENTITIES = """UNWIND $rows AS r MERGE (e:Entity {id: r.id})
ON CREATE SET e.name = r.name, e.kind = r.kind
ON MATCH SET e.kind = CASE WHEN r.kind = '' THEN e.kind ELSE r.kind END"""
"""Rows of id, name, kind. The first name stays; a kind that is known takes the place of the last."""

WRITE_STATEMENTS = """UNWIND $rows AS r MATCH (a:Entity {id: r.s}) MATCH (b:Entity {id: r.t})
MERGE (h:Entity {id: r.id})
SET h.name = '(' + a.name + ')-[' + r.rel + ']->(' + b.name + ')',
h.kind = 'Statement', h.rel = r.rel, h.chunk = r.chunk, h.document = r.document, h.quote = r.quote
MERGE (h)-[:SUBJECT]->(a) MERGE (h)-[:OBJECT]->(b)"""
"""Rows of id, s, rel, t and source: hypernodes, named after their ends, which must be there."""

WRITE_RELATIONS = """UNWIND $rows AS r MATCH (a:Entity {id: r.s}) MATCH (b:Entity {id: r.t})
MERGE (a)-[x:REL {rel: r.rel, chunk: r.chunk}]->(b) SET x.document = r.document, x.quote = r.quote"""
"""Rows of s, rel, t and source. The same triple from two chunks is two edges; from one chunk, one."""

WRITE_IMPLIED = WRITE_RELATIONS.replace(" SET ", " ON CREATE SET ")
"""Like `WRITE_RELATIONS`, for the triples within hypernodes: who states a triple is a better source than who says
more of it."""

DELETE_SOME = "MATCH (n) WITH n LIMIT $limit DETACH DELETE n"
"""Part of a graph, where its database must stay; to be repeated until it is empty."""

CREATE_DATABASE = "CREATE DATABASE $name IF NOT EXISTS WAIT"
"""On a Neo4j server that can hold several."""

DROP_DATABASE = "DROP DATABASE $name IF EXISTS WAIT"
"""On a Neo4j server that can hold several."""

REMOVE_NODE = "MATCH (e:Entity {id: $id}) DETACH DELETE e"
"""A node with its edges."""

REMOVE_RELATIONS = """UNWIND $rows AS r
MATCH (:Entity {id: r.s})-[x:REL {rel: r.rel, chunk: r.chunk}]->(:Entity {id: r.t}) DELETE x"""
"""Rows of s, rel, t and chunk."""


def rename_statements(depth: int) -> str:
    """Name hypernodes anew after their ends: those that hold a node of $ids `depth` levels down; from 1 on, in turn."""
    return f"""UNWIND $ids AS id MATCH (:Entity {{id: id}})<-[:SUBJECT|OBJECT*{int(depth)}]-(h:Entity)
WITH DISTINCT h MATCH (h)-[:SUBJECT]->(a:Entity) MATCH (h)-[:OBJECT]->(b:Entity)
SET h.name = '(' + a.name + ')-[' + h.rel + ']->(' + b.name + ')'"""


def write_links(kind: str) -> str:
    """Write edges of a type of `PARTS` from hypernodes to their ends: rows of s and t. A type is no parameter."""
    return f"UNWIND $rows AS r MATCH (a:Entity {{id: r.s}}) MATCH (b:Entity {{id: r.t}}) MERGE (a)-[:{kind}]->(b)"


def remove_links(kind: str) -> str:
    """Remove the edges that `write_links` writes from the same rows."""
    return f"UNWIND $rows AS r MATCH (:Entity {{id: r.s}})-[x:{kind}]->(:Entity {{id: r.t}}) DELETE x"


def writing_steps(triples: Sequence[Triple]) -> list[tuple[str, dict[str, Any]]]:
    """Return the statements that write triples: entities, hypernodes by depth, edges, plain triples beside these."""
    entities: dict[str, Any] = {}
    statements: dict[int, dict[str, Any]] = {}
    relations: dict[tuple[str, ...], Any] = {}
    implied: dict[tuple[str, ...], Any] = {}
    for triple in triples:
        for node in triple.nodes:
            if isinstance(node, Statement):
                row = _row(node, triple.source)
                statements.setdefault(node.nesting, {})[node.id] = {"id": node.id, **row}
                implied[_key(row)] = row  # the plain triple stays beside it
            else:
                known = entities.get(node.id, {"name": node.name, "kind": ""})
                entities[node.id] = {"id": node.id, "name": known["name"], "kind": node.kind or known["kind"]}
        row = _row(triple, triple.source)
        relations[_key(row)] = row
    levels = [(WRITE_STATEMENTS, statements[depth]) for depth in sorted(statements)]
    steps: list[tuple[str, dict[Any, Any]]] = [
        (WRITE_ENTITIES, entities),
        *levels,
        (WRITE_RELATIONS, relations),
        (WRITE_IMPLIED, implied),
    ]
    return [(text, {"rows": list(rows.values())}) for text, rows in steps if rows]


def _row(part: Triple | Statement, source: TripleSource) -> dict[str, Any]:
    return {"s": part.subject.id, "rel": part.relation, "t": part.object.id, **source.model_dump()}


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return row["s"], row["rel"], row["t"], row["chunk"]
