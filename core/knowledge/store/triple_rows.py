"""Triples as the rows that are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.knowledge.triples import Source, Statement, Triple


def rows_of(triples: Sequence[Triple]) -> tuple[list[Any], list[list[Any]], list[Any], list[Any]]:
    """What to write: entities, hypernodes by how deep they nest, edges, and the plain triples beside hypernodes."""
    entities: dict[str, Any] = {}
    statements: dict[int, dict[str, Any]] = {}
    relations: dict[tuple[str, ...], Any] = {}
    implied: dict[tuple[str, ...], Any] = {}

    def edge(part: Triple | Statement, source: Source, edges: dict[tuple[str, ...], Any]) -> None:
        row = {"s": part.subject.id, "rel": part.relation, "t": part.object.id, **source.model_dump()}
        edges[row["s"], row["rel"], row["t"], source.chunk] = row

    for one in triples:
        for node in one.nodes:
            if isinstance(node, Statement):
                source = one.source.model_dump()
                ends = {"s": node.subject.id, "rel": node.relation, "t": node.object.id}
                row = {"id": node.id, **ends, **source}
                statements.setdefault(node.nesting, {})[node.id] = row
                edge(node, one.source, implied)  # the plain triple stays beside it
            else:
                known = entities.get(node.id)
                kind = node.kind or (known["kind"] if known else "")
                entities[node.id] = {
                    "id": node.id,
                    "name": known["name"] if known else node.name,
                    "kind": kind,
                }
        edge(one, one.source, relations)
    levels = [list(statements[depth].values()) for depth in sorted(statements)]
    return list(entities.values()), levels, list(relations.values()), list(implied.values())
