"""Making one entity of two, and two of one again.

The edges of the one that goes are moved to the other; each keeps its source. What is moved is noted before the graph
is changed, in one transaction. An entity that was merged and is there all the same - its name came up again in
another chunk, or a process was killed before the change - is merged again by `settle`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.corpora.writing import uninterrupted, writing
from core.errors import InputError
from core.knowledge.build.graph_building import BUSY
from core.knowledge.build.settling import key, renaming, settle
from core.knowledge.store import cypher_writing
from core.knowledge.store.aliases import Merge
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.graphs import Graphs
from core.knowledge.triples import STATEMENT, entity_id
from core.users import TEACHER, User

PATIENCE_SECONDS = 2.0
Step = tuple[str, dict[str, Any]]


async def merge(
    graphs: Graphs, graph: Graph, keep: str, duplicate: str, reason: str = "", by: User = TEACHER
) -> Merge:
    """Make one entity of two.

    Args:
        graphs: Where the graph is.
        graph: Must be made of triples.
        keep: Id or name of the entity that stays.
        duplicate: Id or name of the one whose edges it gets.
        reason: Why, for the list of merges.
        by: Who asks for it; the graph must be theirs.

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

    Args:
        graphs: Where the graph is.
        graph: The graph.
        ident: Id of the merge.
        by: Who asks for it; the graph must be theirs.

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
    settle(store, aliases, graph.id)
    ids = [entity_id(keep), entity_id(duplicate)]
    if ids[0] == ids[1]:
        raise InputError("These two are the same entity already.")
    there = store.present(ids)
    for ident, written in zip(ids, (keep, duplicate), strict=True):
        if ident not in there:
            raise InputError(f"There is no entity “{written[:80]}” in this graph.")
        if there[ident].kind == STATEMENT:
            raise InputError("A hypernode cannot be merged; merge the entities that it is made of.")
    noted = aliases.add(graph.id, there[ids[0]], there[ids[1]], reason)
    settle(store, aliases, graph.id, [noted])
    graphs.finish(graph, graph.ready)
    return aliases.merge(graph.id, noted.id)


def _unmerge(graphs: Graphs, graph: Graph, ident: str) -> Merge:
    store, aliases = graphs.store(graph), graphs.aliases
    graphs.catalogue.begin(graph.id, graph.ready)
    settle(store, aliases, graph.id)
    merges = aliases.merges(graph.id)
    merge = aliases.merge(graph.id, ident)
    place = [one.id for one in merges].index(merge.id)
    for later in reversed(merges[place + 1 :]):
        if {later.keep.id, later.gone.id} & merge.touched or {merge.keep.id, merge.gone.id} & later.touched:
            raise InputError(
                f"Undo first that “{later.gone.name}” was merged into “{later.keep.name}” ({later.id}): "
                "it moved some of the same edges."
            )
    store.change(_undoing(merge))
    aliases.remove(merge.id)
    graphs.finish(graph, graph.ready)
    return merge


def _undoing(merge: Merge) -> list[Step]:
    added, moved = _sorted(merge.added), _sorted(merge.moved)
    gone = merge.gone
    steps: list[Step] = [(cypher_writing.REMOVE_RELATIONS, {"rows": added["REL"]})]
    steps += [(cypher_writing.remove_links(kind), {"rows": added[kind]}) for kind in ("SUBJECT", "OBJECT")]
    steps.append((cypher_writing.WRITE_ENTITIES, {"rows": [gone.model_dump()]}))
    steps.append((cypher_writing.WRITE_RELATIONS, {"rows": moved["REL"]}))
    steps += [(cypher_writing.write_links(kind), {"rows": moved[kind]}) for kind in ("SUBJECT", "OBJECT")]
    return [*(step for step in steps if step[1]["rows"]), *renaming([gone.id, merge.keep.id])]


def _sorted(edges: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    kinds: dict[str, list[dict[str, Any]]] = {"REL": [], "SUBJECT": [], "OBJECT": []}
    for edge in {key(edge): edge for edge in edges}.values():
        kinds[edge["type"]].append(edge)
    return kinds
