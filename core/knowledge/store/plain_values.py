"""Values of a query that somebody wrote, made plain: for JSON, for a table, and for drawing a graph."""

from __future__ import annotations

import math
from typing import Any

from neo4j.graph import Node, Path, Relationship

from core.knowledge.records import CELL_CHARS, CELL_ITEMS, DrawnEdge, DrawnNode

_DEPTH = 8
RESULT_CHARS = 10_000_000
"""Of all values of a result together, as they came."""


class PlainValues:
    """Turns values into plain ones and collects the nodes, edges and paths among them."""

    def __init__(self) -> None:
        self.nodes: dict[str, DrawnNode] = {}
        self.edges: dict[str, DrawnEdge] = {}
        self.paths: list[list[str]] = []
        self.cut = False
        """True if anything was too long."""
        self._left = RESULT_CHARS

    @property
    def full(self) -> bool:
        """True if the values so far are as many as a result may hold."""
        return self._left <= 0

    def value(self, value: Any, depth: int = 0) -> Any:
        """Return a value as JSON can hold it; “…” in its place where the result is full."""
        if self.full:
            self.cut = True
            return "…"
        self._left -= len(value) if isinstance(value, str) else 1
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, str):
            self.cut |= len(value) > CELL_CHARS
            return value[:CELL_CHARS]
        if depth > _DEPTH:
            self.cut = True
            return "…"
        if isinstance(value, Node):
            return self._node(value, depth)
        if isinstance(value, Relationship):
            return self._edge(value, depth)
        if isinstance(value, Path):
            return self._path(value, depth)
        if isinstance(value, dict):
            self.cut |= len(value) > CELL_ITEMS
            return {str(key): self.value(item, depth + 1) for key, item in list(value.items())[:CELL_ITEMS]}
        if isinstance(value, list | tuple | set | frozenset):
            self.cut |= len(value) > CELL_ITEMS
            return [self.value(item, depth + 1) for item in list(value)[:CELL_ITEMS]]
        return str(value)[:CELL_CHARS]  # dates, points, bytes

    def _properties(self, value: Node | Relationship, depth: int) -> dict[str, Any]:
        return {key: self.value(item, depth + 1) for key, item in value.items()}

    def _node(self, node: Node, depth: int) -> dict[str, Any]:
        labels, properties = sorted(node.labels), self._properties(node, depth)
        known = self.nodes.get(node.element_id)
        # An edge knows its ends only by their keys.
        if known is None or len(properties) > len(known.properties):
            drawn = DrawnNode(key=node.element_id, labels=tuple(labels), properties=properties)
            self.nodes[node.element_id] = drawn
        return {"labels": labels, **properties}

    def _edge(self, edge: Relationship, depth: int) -> dict[str, Any]:
        properties = self._properties(edge, depth)
        ends = ["", ""]
        for place, node in enumerate(edge.nodes):
            if node is not None:
                ends[place] = node.element_id
                self._node(node, depth + 1)
        self.edges[edge.element_id] = DrawnEdge(
            key=edge.element_id, src=ends[0], dst=ends[1], type=edge.type, properties=properties
        )
        return {"type": edge.type, **properties}

    def _path(self, path: Path, depth: int) -> list[Any]:
        """Return its nodes and edges in turn."""
        keys, values = [], []
        for place, node in enumerate(path.nodes):
            keys.append(node.element_id)
            values.append(self._node(node, depth + 1))
            if place < len(path.relationships):
                edge = path.relationships[place]
                keys.append(edge.element_id)
                values.append(self._edge(edge, depth + 1))
        self.paths.append(keys)
        return values
