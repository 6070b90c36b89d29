"""Making one entity of two, and two of one again.

The edges of the one that goes are moved to the other; each keeps its source. What is moved is noted before the graph
is changed, in one transaction. An entity that was merged and is there all the same - its name came up again in
another chunk, or a process was killed before the change - is merged again by `apply_merges`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from core.corpora.writing import uninterrupted, writing
from core.errors import InputError
from core.knowledge.store import cypher_writing
from core.knowledge.store.aliases import Aliases, Merge
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.graphs import Graphs
from core.knowledge.triples import MAX_NESTING, PARTS, STATEMENT, entity_id
from core.users import TEACHER, User

BUSY = "This graph is being changed at the moment. Wait until that has ended, or stop it."
PATIENCE_SECONDS = 2.0
Edge = dict[str, Any]
Step = tuple[str, dict[str, Any]]
"""A statement and its parameters."""


async def merge(
    graphs: Graphs, graph: Graph, keep: str, duplicate: str, reason: str = "", by: User = TEACHER
) -> Merge:
    """Make one entity of two, by id or name, in a graph of triples that is the user's: `keep` gets the edges of
    `duplicate`.

    `reason` says why, for the list of merges.

    Raises:
        NotAllowed: The graph is somebody else's.
        InputError: One is not there or is a hypernode, they are the same, or another process changes the graph.
        ServiceError, StoreError: The graph server or the alias table fails.
    """
    by.check(graph.owner, graph.name)
    if graph.native:
        raise InputError(f"“{graph.name}” has a schema of its own, so its nodes cannot be merged.")
    async with writing(graphs.ledger, graph.id, PATIENCE_SECONDS, BUSY):
        return await uninterrupted(_merge, graphs, graph, keep, duplicate, reason)


async def unmerge(graphs: Graphs, graph: Graph, ident: str, by: User = TEACHER) -> Merge:
    """Undo a merge: both entities are as they were, with their edges.

    Raises:
        NotAllowed: The graph is somebody else's.
        InputError: There is no such merge, a later one must be undone first, or another process changes the graph.
        ServiceError, StoreError: The graph server or the alias table fails.
    """
    by.check(graph.owner, graph.name)
    async with writing(graphs.ledger, graph.id, PATIENCE_SECONDS, BUSY):
        return await uninterrupted(_unmerge, graphs, graph, ident)


def _merge(graphs: Graphs, graph: Graph, keep: str, duplicate: str, reason: str) -> Merge:
    store, aliases = graphs.store(graph), graphs.aliases
    graphs.catalogue.begin(graph.id, graph.ready)
    apply_merges(store, aliases, graph.id)
    ids = [entity_id(keep), entity_id(duplicate)]
    if ids[0] == ids[1]:
        raise InputError("These two are the same entity already.")
    present = store.present(ids)
    for ident, written in zip(ids, (keep, duplicate), strict=True):
        if ident not in present:
            raise InputError(f"There is no entity “{written[:80]}” in this graph.")
        if present[ident].kind == STATEMENT:
            raise InputError("A hypernode cannot be merged; merge the entities that it is made of.")
    noted = aliases.add(graph.id, present[ids[0]], present[ids[1]], reason)
    apply_merges(store, aliases, graph.id, [noted])
    graphs.finish(graph, graph.ready)
    return aliases.merge(graph.id, noted.id)


def _unmerge(graphs: Graphs, graph: Graph, ident: str) -> Merge:
    store, aliases = graphs.store(graph), graphs.aliases
    graphs.catalogue.begin(graph.id, graph.ready)
    apply_merges(store, aliases, graph.id)
    merges = aliases.merges(graph.id)
    merge = aliases.merge(graph.id, ident)
    place = [noted.id for noted in merges].index(merge.id)
    for later in reversed(merges[place + 1 :]):
        if {later.keep.id, later.gone.id} & merge.touched or {merge.keep.id, merge.gone.id} & later.touched:
            raise InputError(
                f"Undo first that “{later.gone.name}” was merged into “{later.keep.name}” ({later.id}): "
                "it moved some of the same edges."
            )
    store.change(
        [
            *_edge_steps(merge.added, remove=True),
            (cypher_writing.WRITE_ENTITIES, {"rows": [merge.gone.model_dump()]}),
            *_edge_steps(merge.moved),
            *_renaming([merge.gone.id, merge.keep.id]),
        ]
    )
    aliases.remove(merge.id)
    graphs.finish(graph, graph.ready)
    return merge


def apply_merges(
    store: GraphStore, aliases: Aliases, graph: str, merges: Sequence[Merge] | None = None
) -> None:
    """Merge every entity that was merged and is there; harmless where there is none.

    It looks at these merges of the graph with this id, in their order; None: at all of them.
    """
    merges = aliases.merges(graph) if merges is None else merges
    present = set(store.present([merge.gone.id for merge in merges]))
    for merge in merges:
        if merge.gone.id in present:
            _move(store, aliases, merge)
            present.add(merge.keep.id)  # made again, if it was merged itself later on


def _key(edge: Edge) -> tuple[str, ...]:
    """Return the type, ends, relation and chunk, a combination that a graph has once at most."""
    return (edge["type"], edge["s"], edge["rel"] or "", edge["t"], edge["chunk"] or "")


def _unique_edges(edges: Iterable[Edge]) -> list[Edge]:
    return list({_key(edge): edge for edge in edges}.values())


def _move(store: GraphStore, aliases: Aliases, merge: Merge) -> None:
    gone, keep = merge.gone.id, merge.keep.id
    known = {_key(edge) for edge in store.edges(keep)}
    moved = store.edges(gone)
    added = []
    for edge in moved:
        new = edge | {end: keep for end in ("s", "t") if edge[end] == gone}
        # An edge between the two would begin and end at one node; one that is there has its source already.
        if new["s"] != new["t"] and _key(new) not in known:
            known.add(_key(new))
            added.append(new)
    aliases.moving(
        replace(
            merge, moved=_unique_edges([*merge.moved, *moved]), added=_unique_edges([*merge.added, *added])
        )
    )
    entity = (cypher_writing.WRITE_ENTITIES, {"rows": [merge.keep.model_dump()]})
    removal = (cypher_writing.REMOVE_NODE, {"id": gone})
    store.change([entity, *_edge_steps(added), removal, *_renaming([keep])])


def _edge_steps(edges: Iterable[Edge], *, remove: bool = False) -> list[Step]:
    """Return the statements that write these edges, or remove them."""
    relations = cypher_writing.REMOVE_RELATIONS if remove else cypher_writing.WRITE_RELATIONS
    links = cypher_writing.remove_links if remove else cypher_writing.write_links
    texts = {"REL": relations, **{kind: links(kind) for kind in PARTS}}
    unique = _unique_edges(edges)
    steps = [
        (text, {"rows": [edge for edge in unique if edge["type"] == kind]}) for kind, text in texts.items()
    ]
    return [step for step in steps if step[1]["rows"]]


def _renaming(ids: Sequence[str]) -> list[Step]:
    """Return the statements that name all hypernodes made of these nodes anew, inner ones first."""
    depths = range(1, MAX_NESTING + 1)
    return [(cypher_writing.rename_statements(depth), {"ids": list(ids)}) for depth in depths]
