"""What is around some nodes of a graph: as a drawing, and in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from core.drawings.network import Network, NetworkEdge, NetworkNode, State
from core.knowledge.explore.browsing import Surroundings
from core.knowledge.records import EdgeRecord, NodeRecord, RelationRecord, relation_arrow
from core.knowledge.triples import PARTS, STATEMENT
from core.wording import counted


def neighbourhood_network(found: Surroundings, start: str, chosen: str, native: bool) -> Network:
    """The drawing.

    Args:
        found: Nodes and edges.
        start: Id of the node it began with.
        chosen: Key of the node or edge that is lit; empty: none.
        native: Whether the graph has labels of its own, and so no hypernodes.
    """

    def state(key: str) -> State:
        return "start" if key == start else "chosen" if key == chosen else ""

    nodes = tuple(
        NetworkNode(
            seen.node.id,
            seen.node.name,
            seen.node.kind,
            seen.degree,
            hypernode=not native and seen.node.kind == STATEMENT,
            state=state(seen.node.id),
        )
        for seen in found.nodes
    )
    edges = tuple(
        NetworkEdge(
            edge.key, edge.src, edge.dst, edge.rel, not native and edge.type in PARTS, state(edge.key)
        )
        for edge in found.edges
    )
    return Network(nodes, edges)


def shown_line(found: Surroundings) -> str:
    """How much is drawn, how much is not, and how to see the rest."""
    line = f"{counted(len(found.nodes), 'node')} and {counted(len(found.edges), 'edge')} are drawn."
    if found.hidden:
        those = counted(found.hidden, "neighbour is", "neighbours are")
        line += f" {those} not shown, the less connected ones: filter, or collapse a node, to make room."
    if found.edges_cut:
        line += " There are more edges between them than can be drawn."
    return line


def relation_lines(relations: Sequence[RelationRecord], native: bool, limit: int) -> tuple[str, ...]:
    """The relations of a node with how many nodes each leads to, the most frequent first; raw text."""
    lines = []
    for one in relations[:limit]:
        if not native and one.type in PARTS:
            lines.append(
                f"{one.type.lower()} of {counted(one.count, 'hypernode')}"
                if one.direction == "in"
                else f"has a {one.type.lower()}"
            )
            continue
        lines.append(f"{relation_arrow(one.rel, one.direction)} {counted(one.count, 'node')}")
    return tuple(lines)


def edge_line(edge: EdgeRecord, found: Surroundings) -> str:
    """An edge in one line; raw text."""
    names = {seen.node.id: seen.node.name for seen in found.nodes}
    ends = (names.get(end, end) for end in (edge.src, edge.dst))
    return f" {relation_arrow(edge.rel, 'out')} ".join(ends)


def kind_of(node: NodeRecord, native: bool) -> str:
    """What a node is, for people; raw text."""
    if not native and node.kind == STATEMENT:
        return "hypernode: a whole triple that is a node"
    return node.kind or "kind not known"
