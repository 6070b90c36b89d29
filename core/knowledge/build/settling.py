"""Moving the edges of merged entities to those that took their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from core.knowledge.store import cypher_writing
from core.knowledge.store.aliases import Aliases, Merge
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.triples import MAX_NESTING

Edge = dict[str, Any]


def settle(store: GraphStore, aliases: Aliases, graph: str, merges: Sequence[Merge] | None = None) -> None:
    """Merge every entity that was merged and is there; harmless where there is none.

    Args:
        store: The graph.
        aliases: Where the merges are noted.
        graph: Its id.
        merges: Those to look at, in their order; None: all.
    """
    merges = aliases.merges(graph) if merges is None else merges
    there = set(store.present([merge.gone.id for merge in merges]))
    for merge in merges:
        if merge.gone.id in there:
            _move(store, aliases, merge)
            there.add(merge.keep.id)  # made again, if it was merged itself later on


def key(edge: Edge) -> tuple[str, ...]:
    """What there is at most one of: type, ends, relation and chunk."""
    return (edge["type"], edge["s"], edge["rel"] or "", edge["t"], edge["chunk"] or "")


def _move(store: GraphStore, aliases: Aliases, merge: Merge) -> None:
    gone, keep = merge.gone.id, merge.keep.id
    had = {key(edge) for edge in store.edges(keep)}
    moved = store.edges(gone)
    added = []
    for edge in moved:
        ends = {end: keep if edge[end] == gone else edge[end] for end in ("s", "t")}
        new = edge | ends
        # An edge between the two would begin and end at one node; one that is there has its source already.
        if new["s"] != new["t"] and key(new) not in had:
            had.add(key(new))
            added.append(new)
    aliases.moving(replace(merge, moved=_joined(merge.moved, moved), added=_joined(merge.added, added)))
    steps = [(cypher_writing.WRITE_ENTITIES, [merge.keep.model_dump()])]
    steps += [(cypher_writing.WRITE_RELATIONS, [edge for edge in added if edge["type"] == "REL"])]
    for kind in ("SUBJECT", "OBJECT"):
        steps.append((cypher_writing.write_links(kind), [edge for edge in added if edge["type"] == kind]))
    changes: list[tuple[str, dict[str, Any]]] = [(text, {"rows": rows}) for text, rows in steps if rows]
    store.change([*changes, (cypher_writing.REMOVE_NODE, {"id": gone}), *renaming([keep])])


def renaming(ids: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """The statements that name all hypernodes made of these nodes anew, inner ones first."""
    return [
        (cypher_writing.rename_statements(depth), {"ids": list(ids)}) for depth in range(1, MAX_NESTING + 1)
    ]


def _joined(before: Iterable[Edge], now: Iterable[Edge]) -> list[Edge]:
    return list({key(edge): edge for edge in (*before, *now)}.values())
