"""Where the nodes of an exploration stand: a column per hop, each with its nodes in the order they came in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from core.drawings.network import Network, NetworkNode

COLUMN = 310.0
"""From one column to the next, in units of the drawing: a pixel each where nothing is zoomed."""
ROW = 80.0


def whole(name: str) -> bool:
    """Whether a name is that of a hypernode, which is a whole triple."""
    return name.startswith("(") and "]->(" in name


class Board:
    """Places for nodes, named by their text: a path names its nodes by nothing else."""

    def __init__(self, starts: Sequence[str] = ()) -> None:
        self.starts = list(starts)
        """Names of the nodes that the exploration starts from."""
        self._nodes: dict[str, NetworkNode] = {}
        self._columns: dict[str, tuple[float, str]] = {}
        """Column and list of each node; the lists of a column lie over each other, since they take turns."""

    def key(self, name: str) -> str:
        """Of the node of that name."""
        return f"node {name}"

    def node(self, name: str, column: float) -> NetworkNode:
        """The node of that name; where it is new, it gets a place in this column."""
        return self._put(NetworkNode(self.key(name), name, hypernode=whole(name)), column, "nodes")

    def offer(self, name: str, column: float, *, chosen: bool) -> NetworkNode:
        """A node that could be chosen; one that is not may still get a place of its own on the way later."""
        if chosen or self.key(name) in self._nodes:
            return self.node(name, column)
        node = NetworkNode(f"offer {column} {name}", name, hypernode=whole(name))
        return self._put(node, column, "nodes")

    def way(self, step: int, number: str, label: str, column: float) -> NetworkNode:
        """A relation that could be followed, as a node; it makes room for the nodes that it leads to."""
        return self._put(NetworkNode(f"way {step} {number}", label, way=True), column, f"ways {step}")

    def _put(self, node: NetworkNode, column: float, turn: str) -> NetworkNode:
        if node.key not in self._nodes:
            self._nodes[node.key] = node
            self._columns[node.key] = (column, turn)
        return self._nodes[node.key]

    def placed(self, network: Network) -> Network:
        """The network with the places of its nodes; every list is centred on its column."""
        lists: defaultdict[tuple[float, str], list[str]] = defaultdict(list)
        for key, column in self._columns.items():
            lists[column].append(key)
        used = sorted({column for column, _ in lists})
        where = {
            key: (used.index(column) * COLUMN, (row - (len(keys) - 1) / 2) * ROW)
            for (column, _), keys in lists.items()
            for row, key in enumerate(keys)
        }
        nodes = (replace(node, x=where[node.key][0], y=where[node.key][1]) for node in network.nodes)
        return replace(network, nodes=tuple(nodes))
