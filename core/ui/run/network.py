"""Knowledge graphs, drawn by vis-network in a component of our own that never interprets text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import streamlit as st

from core.cards.texts import visible
from core.drawings.network import Network, NetworkEdge, NetworkNode
from core.ui.shell.assets import asset, script

LABEL = 28
"""Characters of a name that the drawing shows; all of them are shown on hover."""
BOX = 26
"""Characters in a line of a box."""
_component = st.components.v2.component(
    "rag_loupe.network",
    html='<div class="root"></div>',
    css=asset("network.css"),
    js=script("graph.js", "network.js"),
)


@dataclass(frozen=True)
class Clicked:
    """What was clicked in a drawing."""

    what: Literal["node", "edge"]
    key: str
    """Of the node or edge; it is one of the drawing's."""


def draw_network(network: Network, key: str, *, height: int = 560) -> Clicked | None:
    """Draw a graph; what stays on it between two redraws stays in its place.

    Args:
        network: What to show.
        key: Unique on the page and stable between redraws.
        height: In pixels.

    Returns:
        What was clicked since the last redraw; None: nothing.
    """
    result = _component(
        data=network_data(network) | {"height": height, "library": library()},
        key=f"network-{key}",
        on_clicked_change=_heard,
    )
    if network.hidden:
        st.caption(f"{network.hidden:,} more nodes next to these are left out.")
    return clicked_in(result.clicked, network)


def network_data(network: Network) -> dict[str, object]:
    """The graph as plain values, for the page; names without characters that would disturb the lines around them."""
    return {
        "nodes": [node_data(node) for node in network.nodes],
        "edges": [edge_data(edge) for edge in network.edges],
    }


def node_data(node: NetworkNode) -> dict[str, object]:
    """A node as plain values, with the text that is drawn and the one that is shown on hover."""
    return {
        "key": node.key,
        "short": "\n".join(wrapped(node.label)) if node.hypernode or node.way else short(node.label),
        "title": visible(f"{node.label}\n{node.kind}".strip()),
        "kind": short(node.kind),
        "degree": node.degree,
        "hypernode": node.hypernode,
        "way": node.way,
        "state": node.state,
        "x": node.x,
        "y": node.y,
    }


def edge_data(edge: NetworkEdge) -> dict[str, object]:
    """An edge as plain values."""
    return {
        "key": edge.key,
        "src": edge.src,
        "dst": edge.dst,
        "short": short(edge.label.replace("_", " ")),
        "title": visible(edge.label),
        "part": edge.part,
        "state": edge.state,
    }


def short(text: str) -> str:
    """Text as one line of at most `LABEL` characters."""
    line = " ".join(visible(text).split())
    return line if len(line) <= LABEL else line[: LABEL - 1].rstrip() + "…"


def wrapped(text: str) -> list[str]:
    """Text in at most three lines of `BOX` characters; a triple is broken before and after its arrow."""
    line = " ".join(visible(text).replace(")-[", ") -[").replace("]->(", "]-> (").split())
    return textwrap.wrap(line, BOX, max_lines=3, placeholder="…") or [""]


def library() -> str:
    """Address of vis-network on this server; it is loaded once a page, and never from anywhere else."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{'/' if base else ''}{base}/app/static/vis-network.min.js"


def _heard() -> None:
    """A click is read from the result; it only has to cause a redraw."""


def clicked_in(value: object, network: Network) -> Clicked | None:
    """What the browser reported, if it is something of this drawing."""
    if not isinstance(value, Mapping):
        return None
    what, key = value.get("what"), value.get("key")
    known = {"node": {node.key for node in network.nodes}, "edge": {edge.key for edge in network.edges}}
    if not isinstance(key, str) or what not in ("node", "edge") or key not in known[what]:
        return None
    return Clicked(cast(Literal["node", "edge"], what), key)
