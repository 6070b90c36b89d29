"""Paths between two nodes of a graph: as lines to choose from, and as a drawing with one of them lit."""

from __future__ import annotations

from collections.abc import Sequence

from core.drawings.network import Network, NetworkEdge, NetworkNode, State
from core.knowledge.records import EdgeRecord, PathRecord, relation_arrow
from core.knowledge.triples import PARTS, STATEMENT


def distinct_paths(paths: Sequence[PathRecord]) -> list[PathRecord]:
    """Each path once: the same triple stated by several chunks makes no other path."""
    found: dict[tuple[str, ...], PathRecord] = {}
    for path in paths:
        found.setdefault((*(node.id for node in path.nodes), *map(_edge_key, path.edges)), path)
    return list(found.values())


def path_line(path: PathRecord) -> str:
    """A path in one line, each arrow in the direction of its edge; raw text."""
    parts = [path.nodes[0].name]
    for before, edge, node in zip(path.nodes, path.edges, path.nodes[1:], strict=False):
        parts += [relation_arrow(edge.rel, "out" if edge.src == before.id else "in"), node.name]
    return " ".join(parts)


def paths_network(paths: Sequence[PathRecord], chosen: int | None) -> Network:
    """All paths together; the one at index `chosen` is lit, and the two ends are marked."""
    lit = paths[chosen] if chosen is not None and 0 <= chosen < len(paths) else None
    ends = {paths[0].nodes[0].id, paths[0].nodes[-1].id} if paths else set()
    lit_nodes = {node.id for node in lit.nodes} if lit else set()
    lit_edges = {_edge_key(edge) for edge in lit.edges} if lit else set()
    nodes: dict[str, NetworkNode] = {}
    edges: dict[str, NetworkEdge] = {}
    for path in paths:
        for node in path.nodes:
            state: State = "start" if node.id in ends else "path" if node.id in lit_nodes else ""
            hypernode = node.kind == STATEMENT
            nodes[node.id] = NetworkNode(node.id, node.name, node.kind, hypernode=hypernode, state=state)
        for edge in path.edges:
            key = _edge_key(edge)
            state = "path" if key in lit_edges else ""
            edges[key] = NetworkEdge(key, edge.src, edge.dst, edge.rel, edge.type in PARTS, state)
    return Network(tuple(nodes.values()), tuple(edges.values()))


def _edge_key(edge: EdgeRecord) -> str:
    """A key for all edges that say the same, whoever states it; lengths in front, since names hold any sign."""
    return "".join(f"{len(part)}:{part}" for part in (edge.src, edge.type, edge.rel, edge.dst))
