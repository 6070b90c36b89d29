"""Graphs to draw: hostile names, every state, and big ones."""

from __future__ import annotations

import random
from typing import get_args

from core.drawings.network import Network, NetworkEdge, NetworkNode, State

HOSTILE = (
    "</script><script>alert('script')</script>",
    '<a href="javascript:alert(1)" onclick="alert(2)">link</a>',
    "<img src=http://evil.example/x.png onerror=alert(3)>",
    "[link](http://evil.example) ![image](http://evil.example/y.png)",
    "\u202ereversed\x00\x07 and \u05e9\u05dc\u05d5\u05dd",
    "*/ }; alert(4); /* ' \" ` ${alert(5)} {{7*7}} \\",
    "x" * 10_000,
    "",
)
"""Names that must be drawn as they are."""


def hostile() -> Network:
    """Every hostile name as a node, a kind and a relation, in every state; a hypernode; names of JavaScript itself."""
    states = get_args(State)
    nodes = tuple(
        NetworkNode(f"{place} {name}", name, kind=name, degree=place, state=states[place % len(states)])
        for place, name in enumerate(HOSTILE)
    )
    edges = tuple(
        NetworkEdge(f"edge {node.key}", node.key, nodes[0].key, node.label, state=node.state)
        for node in nodes
    )
    statement = NetworkNode(
        "statement", f"({HOSTILE[0]})-[href]->({HOSTILE[1]})", "Statement", hypernode=True
    )
    part = NetworkEdge("part", statement.key, nodes[0].key, "subject", part=True)
    prototype = NetworkNode("__proto__", "__proto__", kind="constructor")
    own = NetworkEdge("constructor", prototype.key, nodes[0].key, "toString")
    return Network((*nodes, statement, prototype), (*edges, part, own))


def big(count: int) -> Network:
    """A graph of so many nodes with half as many edges more, some nodes with many; the same every time."""
    random_ = random.Random(7)
    nodes = tuple(
        NetworkNode(f"n{place}", f"Entity number {place}", f"kind {place % 5}") for place in range(count)
    )
    ends = [(place, int(place * random_.random() ** 2)) for place in range(1, count)]
    ends += [(random_.randrange(count), random_.randrange(count)) for _ in range(count // 2)]
    edges = tuple(NetworkEdge(f"e{i}", f"n{a}", f"n{b}", "leads to") for i, (a, b) in enumerate(ends))
    return Network(nodes, edges)
