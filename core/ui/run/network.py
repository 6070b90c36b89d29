"""Knowledge graphs, drawn by vis-network in a component of our own that never interprets text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import streamlit as st

from core.drawings.network import Network
from core.drawings.network_drawing import network_drawing
from core.ui.shell.assets import drawing


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
    drawn = network_drawing(network)
    result = drawing("network")(
        data={
            "nodes": drawn.nodes,
            "edges": drawn.edges,
            "options": drawn.options,
            "kinds": drawn.kinds,
            "height": height,
            "library": library(),
        },
        key=f"network-{key}",
        on_clicked_change=_heard,
    )
    if network.hidden:
        st.caption(f"{network.hidden:,} more nodes next to these are left out.")
    return clicked_in(result.clicked, network)


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
