"""The Cypher texts that read all of a graph of triples, page by page; see `core.knowledge.store.cypher`."""

from __future__ import annotations

NODE_IDS = "MATCH (e:Entity) WHERE e.id > $after RETURN e.id AS id ORDER BY id LIMIT $limit"
"""A page of the ids of all nodes, by id."""

STATEMENTS = """MATCH (h:Entity {kind: 'Statement'}) WHERE h.id > $after
WITH h ORDER BY h.id LIMIT $limit
OPTIONAL MATCH (h)-[:SUBJECT]->(s:Entity) OPTIONAL MATCH (h)-[:OBJECT]->(o:Entity)
RETURN h.id AS id, h.name AS name, h.rel AS rel, s.id AS s, s.name AS subject, s.kind AS subject_kind,
o.id AS t, o.name AS object, o.kind AS object_kind, h.chunk AS chunk, h.document AS document, h.quote AS quote
ORDER BY id"""
"""A page of all hypernodes with their ends, by id."""

_TRIPLE = """RETURN a.id AS s, a.name AS subject, a.kind AS subject_kind, r.rel AS rel,
b.id AS t, b.name AS object, b.kind AS object_kind, r.chunk AS chunk, r.document AS document, r.quote AS quote
ORDER BY s, rel, t, chunk"""

TRIPLES_OF_STATEMENTS = f"""UNWIND $ids AS id MATCH (h:Entity {{id: id}})-[r:REL]-()
WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b {_TRIPLE}"""
"""What is said of the hypernodes in $ids, and by means of them."""

PLAIN_TRIPLES = f"""UNWIND $ids AS id MATCH (a:Entity {{id: id}})-[r:REL]->(b:Entity)
WHERE a.kind <> 'Statement' AND b.kind <> 'Statement' {_TRIPLE}"""
"""Triples without hypernodes whose subjects are in $ids."""
