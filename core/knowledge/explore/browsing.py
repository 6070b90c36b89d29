"""The surroundings of some nodes of a graph, for browsing: their neighbours, and the edges between all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.errors import InputError
from core.knowledge.records import Count, EdgeRecord, NodeRecord, count_records, edge_record, node_record
from core.knowledge.store import cypher
from core.knowledge.store.graph_store import GraphStore
from core.trace.passages import Frozen

MAX_EDGES = 3000
"""Edges that are handed out; those of the centres come first."""
OFFERED = 200
"""Names that a filter offers."""


class SeenNode(Frozen):
    """A node among the surroundings."""

    node: NodeRecord
    degree: int
    """Its edges in the whole graph."""


class Surroundings(Frozen):
    """Some nodes and what is around them."""

    nodes: tuple[SeenNode, ...]
    """Centres first, in the order asked for; then their neighbours, those with the best claim first."""
    edges: tuple[EdgeRecord, ...]
    """All edges between these nodes that the filters let pass; those of the centres first."""
    hidden: int
    """Neighbours of any centre that the filters let pass and that are not shown, each counted once."""
    edges_cut: bool
    """True if there are more edges than `MAX_EDGES`."""


class Filters(Frozen):
    """Names by which a graph can be filtered; the most frequent first, at most `OFFERED` of each kind."""

    relations: tuple[Count, ...]
    """By number of edges."""
    kinds: tuple[Count, ...]
    """By number of nodes; "" counts nodes whose kind is not known."""
    documents: tuple[Count, ...]
    """By number of edges that they state."""


def surroundings(
    store: GraphStore,
    idents: Sequence[str],
    *,
    relations: Sequence[str] = (),
    kinds: Sequence[str] = (),
    documents: Sequence[str] = (),
    hypernodes: bool = True,
    limit: int = 300,
) -> Surroundings:
    """Return some nodes, their neighbours, and the edges between all of them; four statements, however many there are.

    Where there are more neighbours than `limit` allows, the centres take turns: each adds, of its neighbours that
    are not there yet, the one with the most edges in the whole graph. So every expanded node keeps its share, and
    the best known neighbours are the ones that stay. The same call always gives the same nodes.

    Args:
        store: A graph of triples or a native one.
        idents: Ids of the centres, 1 or more; at most `limit` are used.
        relations: Names of the relations to follow; empty: all.
        kinds: Kinds of the neighbours; empty: all. Centres are shown whatever they are.
        documents: Documents that state the edges; empty: all.
        hypernodes: False leaves neighbours out that stand for whole triples.
        limit: Most nodes, centres included; 1 or more.

    Raises:
        InputError: None of the centres is in the graph, or `limit` is less than 1.
        ServiceError, StoreError: The graph server fails.
    """
    if limit < 1:
        raise InputError("At least one node must be shown.")
    wanted = list(dict.fromkeys(idents))[:limit]
    seen = {node.node.id: node for node in map(_seen, store.read(cypher.centres(store.native), ids=wanted))}
    ids = [ident for ident in wanted if ident in seen]
    if not ids:
        named = f" “{wanted[0][:80]}”" if wanted else ""
        raise InputError(f"There is no node{named} in this graph.")
    shown: dict[str, Any] = {"relations": list(relations), "documents": list(documents)}
    centres = dict.fromkeys(ids, True)
    near = shown | {"ids": ids, "centres": centres, "kinds": list(kinds), "hypernodes": hypernodes}
    rows = {row["id"]: row["best"] for row in store.read(cypher.around(store.native), **near, limit=limit)}
    total = store.read(cypher.count_around(store.native), **near)[0]["count"]
    added = _in_turn([[_seen(row) for row in rows.get(ident, ())] for ident in ids], limit - len(ids))
    all_ids = [*ids, *(node.node.id for node in added)]
    among = shown | {"ids": all_ids, "among": dict.fromkeys(all_ids, True), "centres": centres}
    edges = [
        edge_record(row["edge"])
        for row in store.read(cypher.edges_among(store.native), **among, limit=MAX_EDGES + 1)
    ]
    return Surroundings(
        nodes=(*(seen[ident] for ident in ids), *added),
        edges=tuple({edge.key: edge for edge in edges[:MAX_EDGES]}.values()),
        hidden=max(0, total - len(added)),
        edges_cut=len(edges) > MAX_EDGES,
    )


def filters(store: GraphStore) -> Filters:
    """Return the names by which `surroundings` can be filtered; reads the whole graph: call it once per version."""
    return Filters(
        relations=count_records(store.read(cypher.COUNT_RELATIONS, limit=OFFERED), "rel"),
        kinds=count_records(store.read(cypher.kinds(store.native), limit=OFFERED), "kind"),
        documents=count_records(store.read(cypher.COUNT_DOCUMENTS, limit=OFFERED), "document"),
    )


def _in_turn(lists: Sequence[Sequence[SeenNode]], room: int) -> list[SeenNode]:
    """Return nodes taken from several lists in turn, none twice."""
    taken: dict[str, SeenNode] = {}
    waiting = [iter(nodes) for nodes in lists]
    while waiting and len(taken) < room:
        for nodes in list(waiting):
            fresh = next((node for node in nodes if node.node.id not in taken), None)
            if fresh is None:
                waiting.remove(nodes)
            elif len(taken) < room:
                taken[fresh.node.id] = fresh
    return list(taken.values())


def _seen(row: dict[str, Any]) -> SeenNode:
    return SeenNode(node=node_record(row["node"]), degree=row["degree"])
