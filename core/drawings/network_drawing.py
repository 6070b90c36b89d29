"""Nodes, edges and options of a drawing of a graph, built by pyvis; the page and the exported file draw what it gives.

Colours and the font are names of a theme's (`text`, `back`, `soft`, `quiet`, `faint`, `red`, `lit`, `kind`, `font`):
whoever draws puts values in. A node or an edge says only in what it differs from the options.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.cards.texts import visible
from core.drawings.network import Network, NetworkEdge, NetworkNode
from core.wording import shortened

WIDTH = 2
"""Of an edge that is nothing special, in units of the drawing."""
ITERATIONS = 100
"""Steps of the physics after which a drawing stands still."""
_NODES = {
    "margin": 6,
    "borderWidth": 2,
    "borderWidthSelected": 5,
    "shapeProperties": {"borderDashes": False, "borderRadius": 2},
}
_EDGES = {
    "arrows": {"to": {"enabled": True, "scaleFactor": 0.8}},
    "width": WIDTH,
    "dashes": False,
    "smooth": False,
    "color": {"color": "quiet", "highlight": "text", "inherit": False, "opacity": 1},
    "selectionWidth": 2,
}


def network_options(count: int, *, still: bool) -> dict[str, Any]:
    """Return the options of a drawing of `count` nodes; there is no space in any of them, since pyvis takes spaces
    out. `still`: all nodes come with their place."""
    # Names in boxes are drawn in this font; `labels.js` paints the others in its colour.
    font = {"color": "text", "size": 20, "face": "font", "multi": False}
    return {
        "layout": {"improvedLayout": False, "randomSeed": 7},
        "interaction": {
            "tooltipDelay": 120,
            "zoomView": False,
            "selectConnectedEdges": False,
            "hideEdgesOnDrag": True,
        },
        "nodes": _NODES | {"font": font},
        "edges": _EDGES | {"font": font},
        "physics": {"enabled": False} if still else _physics(count),
    }


def _physics(count: int) -> dict[str, Any]:
    """Few nodes stand further apart, so that the relations between them can be read, and have time to spread."""
    steps = 3 * ITERATIONS if count < 30 else ITERATIONS
    return {
        "barnesHut": {
            "gravitationalConstant": -7000,
            "springLength": 210 if count < 30 else 200 if count < 80 else 140,
            "springConstant": 0.12,
            "centralGravity": 0.25,
            "damping": 0.25,
            "avoidOverlap": 0.5,
        },
        "stabilization": {"iterations": steps, "updateInterval": steps, "fit": False},
    }


LABEL = 28
"""Characters of a name that are drawn; all of them are shown on hover."""
BOX = 26
"""Characters in a line of a box."""
KEPT = 32
"""Drawings that are kept for when they are drawn again."""
MARKS = {"start": "▶ ", "chosen": "✓ ", "dead": "✗ "}
OWN = {"start": "lit", "chosen": "lit", "path": "lit", "candidate": "faint", "dead": "red"}
"""Colours of states."""
WORDS = {"candidate": "quiet", "dead": "red"}
"""Colours of the names of what is in a state, where it is not that of all names."""


@dataclass(frozen=True)
class Drawn:
    """The input of vis-network. It is shared by all who draw the same, so nobody may change it."""

    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    options: dict[str, Any]
    kinds: tuple[str, ...]
    """Kinds of the nodes as the nodes name them, the most frequent first."""


@lru_cache(maxsize=KEPT)
def network_drawing(network: Network) -> Drawn:
    """The drawing of a graph whose nodes find their places, or have them; made once for all who draw the same."""
    return build_drawing(network)


def build_drawing(network: Network, *, still: bool = False) -> Drawn:
    """Return the drawing of a graph, whose names may hold anything; `still`: it is one of many pictures, all nodes come
    with their place, and colours tell states alone."""
    # Takes a fifth of a second, and only where something is drawn.
    from pyvis.network import Network as Drawing

    drawing = Drawing(directed=True)
    for node in network.nodes:
        drawing.add_node(_id(node.key), **_node(node, still=still))
    known = {node.key for node in network.nodes}
    edges = {edge.key: edge for edge in network.edges if edge.src in known and edge.dst in known}
    bends = _bends(edges.values())
    for edge in edges.values():
        drawing.add_edge(_id(edge.src), _id(edge.dst), **_edge(edge, bends[edge.key]))
    placed = all(node.x is not None for node in network.nodes)
    drawing.set_options(json.dumps(network_options(len(network.nodes), still=placed)))
    nodes, lines, _, _, _, options = drawing.get_network_data()
    kinds = Counter(short(node.kind) for node in network.nodes if node.kind and not node.hypernode)
    return Drawn(nodes, lines, json.loads(options), tuple(kind for kind, _ in kinds.most_common() if kind))


def short(text: str) -> str:
    """Text as one line of at most `LABEL` characters."""
    return shortened(visible(text), LABEL)


def box_lines(text: str) -> list[str]:
    """Text in at most three lines of `BOX` characters; a triple is broken before and after its arrow."""
    line = one_line(text.replace(")-[", ") -[").replace("]->(", "]-> ("))
    return textwrap.wrap(line, BOX, max_lines=3, placeholder="…") or [""]


def one_line(text: str) -> str:
    """Text in one line, without characters that would disturb the text around it."""
    return " ".join(visible(text).split())


def _id(key: str) -> str:
    """The id of a node or an edge in vis-network: no name that every JavaScript object has, such as `__proto__`."""
    return f"#{key}"


def _node(node: NetworkNode, *, still: bool) -> dict[str, Any]:
    lit, dead = OWN.get(node.state) == "lit", node.state == "dead"
    box, kind = node.hypernode or node.way, short(node.kind)
    name = "\n".join(box_lines(node.label)) if box else short(node.label)
    look: dict[str, Any] = {
        "label": MARKS.get(node.state, "") + name or " ",  # instead of an empty one, pyvis would take the id
        "title": "\n".join(filter(None, (one_line(node.label), one_line(node.kind)))),
        "kind": kind,
        "shape": "box" if box else "dot",
        "size": round(10 + min(14, 3 * math.log2(1 + node.degree)) + 3 * lit, 1),
        "color": _node_colour(node, "" if still else "kind" if kind else "quiet"),
    }
    if node.state in WORDS:
        look["font"] = {"color": WORDS[node.state]}
    if lit or dead:
        look["borderWidth"] = 4 if lit else 3
    if dead or node.way:
        radius = 16 if node.way else 2
        look["shapeProperties"] = {"borderDashes": [6, 4] if dead else False, "borderRadius": radius}
    if node.x is not None:
        look |= {"x": node.x, "y": node.y}
    return look


def _node_colour(node: NetworkNode, kind: str) -> dict[str, Any]:
    """Where colours tell kinds, what is lit keeps the colour of its kind and is told by its frame."""
    own, box = OWN.get(node.state, ""), node.hypernode or node.way
    fill = "soft" if box or own == "faint" else kind or own or "quiet"
    if node.state == "dead":
        fill = "back"
    framed = not box and (node.state == "start" or bool(kind and own == "lit"))
    border = "text" if framed else own or ("text" if node.hypernode else "back")
    return {"background": fill, "border": border, "highlight": {"background": fill, "border": "text"}}


def _edge(edge: NetworkEdge, bend: float) -> dict[str, Any]:
    name = short(edge.label.replace("_", " "))
    # Dotted lines are explained below the drawing, and every box has two of them.
    look: dict[str, Any] = {"id": _id(edge.key), "label": "" if edge.part else name}
    if title := one_line(edge.label):
        look["title"] = title
    if not name:
        look["arrows"] = {"to": {"enabled": False}}
    if colour := _edge_colour(edge):
        look["color"] = colour
    if edge.state in WORDS:
        look["font"] = {"color": WORDS[edge.state]}
    if (width := _width(edge, name)) != WIDTH:
        look["width"] = width
    if edge.part or edge.state == "dead":
        look["dashes"] = [10, 7] if edge.state == "dead" else [2, 5]
    if bend:
        turn = "curvedCW" if bend > 0 else "curvedCCW"
        look["smooth"] = {"enabled": True, "type": turn, "roundness": round(abs(bend), 2)}
    return look


def _edge_colour(edge: NetworkEdge) -> dict[str, Any]:
    own = OWN.get(edge.state)
    faded = {"opacity": 0.8} if edge.part and own != "lit" else {}
    return ({"color": own} if own else {}) | faded


def _width(edge: NetworkEdge, name: str) -> float:
    if OWN.get(edge.state) == "lit":
        return 2.5 if not name else 3 if edge.part else 5
    if not name:
        return 1
    return 3 if edge.state == "dead" else 1.5 if edge.part else WIDTH


def _bends(edges: Iterable[NetworkEdge]) -> dict[str, float]:
    """Return how far each edge bends: those between the same two nodes bend away from each other."""
    pairs: defaultdict[tuple[str, str], list[NetworkEdge]] = defaultdict(list)
    for edge in edges:
        pairs[min(edge.src, edge.dst), max(edge.src, edge.dst)].append(edge)
    return {
        edge.key: (place - (len(group) - 1) / 2) * (0.18 if edge.src <= edge.dst else -0.18)
        for group in pairs.values()
        for place, edge in enumerate(group)
    }
