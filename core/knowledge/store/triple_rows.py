"""Triples as the statements that write them, with their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.knowledge.store import cypher_writing
from core.knowledge.triples import Source, Statement, Triple


def writing_steps(triples: Sequence[Triple]) -> list[tuple[str, dict[str, Any]]]:
    """What to write: entities, hypernodes by how deep they nest, edges, and the plain triples beside hypernodes."""
    entities: dict[str, Any] = {}
    statements: dict[int, dict[str, Any]] = {}
    relations: dict[tuple[str, ...], Any] = {}
    implied: dict[tuple[str, ...], Any] = {}
    for one in triples:
        for node in one.nodes:
            if isinstance(node, Statement):
                row = _row(node, one.source)
                statements.setdefault(node.nesting, {})[node.id] = {"id": node.id, **row}
                implied[_key(row)] = row  # the plain triple stays beside it
            else:
                known = entities.get(node.id, {"name": node.name, "kind": ""})
                entities[node.id] = {"id": node.id, "name": known["name"], "kind": node.kind or known["kind"]}
        row = _row(one, one.source)
        relations[_key(row)] = row
    levels = [(cypher_writing.WRITE_STATEMENTS, statements[depth]) for depth in sorted(statements)]
    steps: list[tuple[str, dict[Any, Any]]] = [
        (cypher_writing.WRITE_ENTITIES, entities),
        *levels,
        (cypher_writing.WRITE_RELATIONS, relations),
        (cypher_writing.WRITE_IMPLIED, implied),
    ]
    return [(text, {"rows": list(rows.values())}) for text, rows in steps if rows]


def _row(part: Triple | Statement, source: Source) -> dict[str, Any]:
    return {"s": part.subject.id, "rel": part.relation, "t": part.object.id, **source.model_dump()}


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return row["s"], row["rel"], row["t"], row["chunk"]
