"""The result of a query that somebody wrote: as a table of plain text, and as a drawing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.drawings.network import Network, NetworkEdge, NetworkNode
from core.knowledge.records import DrawnNode, QueryResult
from core.knowledge.triples import PARTS, STATEMENT

DRAWN = 300
"""Nodes that are drawn at most."""
CELL_CHARS = 500
_NAMES = ("name", "title", "id")


def table(result: QueryResult) -> dict[str, list[Any]]:
    """Columns with their cells; numbers stay numbers where a whole column has nothing else."""
    names = _unique(result.columns)
    columns = {name: [row[place] for row in result.rows] for place, name in enumerate(names)}
    return {
        name: cells if _numbers(cells) else [cell_text(cell) for cell in cells]
        for name, cells in columns.items()
    }


def cell_text(value: Any) -> str:
    """A value in one line; nodes and edges by their name, other maps and lists as JSON."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, Mapping) and ("labels" in value or "type" in value):
        text = _named(value)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        text = " ".join(map(_named, value))
    else:
        text = "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= CELL_CHARS else text[: CELL_CHARS - 1] + "…"


def result_network(result: QueryResult) -> Network | None:
    """Its nodes, edges and paths, at most `DRAWN` nodes; None: it holds none."""
    if not result.nodes:
        return None
    known = {key for path in result.paths for key in path}
    # A node that an edge merely ends in comes without properties; those that were asked for come first.
    ordered = sorted(result.nodes, key=lambda node: (not node.properties, node.key not in known))[:DRAWN]
    shown = {node.key for node in ordered}
    nodes = tuple(_node(node) for node in ordered)
    edges = tuple(
        NetworkEdge(
            edge.key, edge.src, edge.dst, str(edge.properties.get("rel") or edge.type), edge.type in PARTS
        )
        for edge in result.edges
        if edge.src in shown and edge.dst in shown
    )
    return Network(nodes, edges, hidden=len(result.nodes) - len(ordered))


def _node(node: DrawnNode) -> NetworkNode:
    kind = str(node.properties.get("kind") or "") if "Entity" in node.labels else ""
    kind = kind or (node.labels[0] if node.labels and "Entity" not in node.labels else "")
    label = _first(node.properties) or (node.labels[0] if node.labels else "node")
    return NetworkNode(node.key, label, kind, hypernode=kind == STATEMENT)


def _named(value: Mapping[str, Any]) -> str:
    if "labels" not in value and "type" in value:
        return f"—{value.get('rel') or value['type']}—"  # its direction is in the drawing
    return _first(value) or json.dumps(value, ensure_ascii=False, default=str)


def _first(properties: Mapping[str, Any]) -> str:
    return next((str(properties[key]) for key in _NAMES if properties.get(key)), "")


def _numbers(cells: Sequence[Any]) -> bool:
    return all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)


def _unique(names: Sequence[str]) -> list[str]:
    """Column names that differ, as a data frame needs them."""
    found: list[str] = []
    for name in names:
        number, wanted = 2, name
        while wanted in found:
            wanted, number = f"{name} ({number})", number + 1
        found.append(wanted)
    return found
