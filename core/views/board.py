"""Where the nodes of an exploration stand: a column per hop, each with its nodes in the order they came in."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from core.views.network import Network, NetworkNode

COLUMN = 290.0
"""From one hop to the next, in units of the drawing: a pixel each where nothing is zoomed."""
ROW = 66.0


class Board:
    """Places for nodes, named by their text: a path names its nodes by nothing else."""

    def __init__(self) -> None:
        self.starts: list[str] = []
        self._nodes: dict[str, NetworkNode] = {}
        self._columns: dict[str, tuple[float, str]] = {}
        """Column and list of each node; the lists of a column lie over each other, since they take turns."""

    def start(self, name: str) -> None:
        """Note a node that the exploration starts from."""
        if name not in self.starts:
            self.starts.append(name)

    def clear_starts(self) -> None:
        """Forget where it starts from."""
        self.starts = []

    def key(self, name: str) -> str:
        """Of the node of that name."""
        return f"node {name}"

    def node(self, name: str, column: float, turn: str, *, hypernode: bool = False) -> NetworkNode:
        """The node of that name; where it is new, it gets a place in this column and list."""
        hypernode = hypernode or (name.startswith("(") and "]->(" in name)
        return self._put(NetworkNode(self.key(name), name, hypernode=hypernode), column, turn)

    def way(self, key: str, label: str, column: float) -> NetworkNode:
        """A relation that could be followed, as a node."""
        return self._put(NetworkNode(f"way {key}", label, way=True), column, f"ways {key.split()[0]}")

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
        where = {
            key: (column * COLUMN, (row - (len(keys) - 1) / 2) * ROW)
            for (column, _), keys in lists.items()
            for row, key in enumerate(keys)
        }
        nodes = (replace(node, x=where[node.key][0], y=where[node.key][1]) for node in network.nodes)
        return replace(network, nodes=tuple(nodes))
