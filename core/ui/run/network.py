"""Knowledge graphs and explorations played back, drawn by components of our own that never interpret text."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

import streamlit as st

from core.drawings.network import Network
from core.drawings.network_drawing import build_drawing, network_drawing
from core.drawings.playback import Frame, frames
from core.trace.artefacts import Artefact
from core.ui.shell.assets import drawing, redraw
from core.ui.shell.widgets import reading_aid

PLAYBACK_PIXELS = 560
"""Of the picture, in pixels."""
KEPT_EXPLORATIONS = 16
"""Explorations that are kept for when they are drawn again."""


@dataclass(frozen=True)
class Clicked:
    """A click on a node or an edge of a drawing."""

    what: Literal["node", "edge"]
    key: str
    """Of the node or edge; it is one of the drawing's."""


def draw_network(network: Network, key: str, *, height: int = 560) -> Clicked | None:
    """Draw a graph, and return what was clicked since the last redraw; what stays on it stays in its place.

    `key` is unique on the page and stable between redraws; `height` is in pixels.
    """
    result = drawing("network")(
        data={**vars(network_drawing(network)), "height": height, "library": library()},
        key=f"network-{key}",
        on_clicked_change=redraw,
    )
    if network.hidden:
        st.caption(f"{network.hidden:,} more nodes next to these are left out.")
    return clicked_in(result.clicked, network)


def library() -> str:
    """Address of vis-network on this server; it is loaded once a page, and never from anywhere else."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{'/' if base else ''}{base}/app/static/vis-network.min.js"


def clicked_in(value: object, network: Network) -> Clicked | None:
    """The click that the browser reported, if it is on something of this drawing."""
    if not isinstance(value, Mapping):
        return None
    what, key = value.get("what"), value.get("key")
    known = {"node": {node.key for node in network.nodes}, "edge": {edge.key for edge in network.edges}}
    if not isinstance(key, str) or what not in ("node", "edge") or key not in known[what]:
        return None
    return Clicked(cast(Literal["node", "edge"], what), key)


def draw_playback(artefacts: Sequence[Artefact], key: str, *, colour: str) -> bool:
    """The exploration of a run as far as it is, what is chosen in `colour`; False: there is none."""
    found = frames(artefacts)
    if not found:
        return False
    with st.container(border=True, key=f"playback-{key}", gap="small"):
        st.markdown(":material/explore: **Replay of the walk**")
        reading_aid(
            "Grey could be next, ✓ is chosen, ▶ is where it starts, a dashed red line is a dead end. "
            "A rounded box is a relation with the nodes that it leads to."
        )
        data = playback_data(found) | {"colour": colour, "height": PLAYBACK_PIXELS, "library": library()}
        drawing("playback")(data=data, key=f"playback-frames-{key}")
    return True


@lru_cache(maxsize=KEPT_EXPLORATIONS)
def playback_data(found: tuple[Frame, ...]) -> dict[str, object]:
    """All frames as plain values, which nobody may change.

    What frames of one board share is sent once, and a frame names it by its place.
    """
    nodes: defaultdict[int, dict[str, int]] = defaultdict(dict)
    edges: defaultdict[int, dict[str, int]] = defaultdict(dict)
    sent: list[dict[str, object]] = []
    options: dict[str, object] = {}
    for frame in found:
        drawn = build_drawing(frame.network, still=True)
        options = drawn.options
        places = {
            "nodes": _places(drawn.nodes, nodes[frame.board]),
            "edges": _places(drawn.edges, edges[frame.board]),
            "hidden": frame.network.hidden,
        }
        sent.append({name: value for name, value in vars(frame).items() if name != "network"} | places)
    boards = [{"nodes": _values(nodes[board]), "edges": _values(edges[board])} for board in sorted(nodes)]
    return {"frames": sent, "boards": boards, "options": options}


def _places(items: Sequence[object], shared: dict[str, int]) -> list[int]:
    """Places of these among what is shared; what is not yet there comes last."""
    return [shared.setdefault(json.dumps(item), len(shared)) for item in items]


def _values(shared: dict[str, int]) -> list[object]:
    return [json.loads(text) for text in shared]
