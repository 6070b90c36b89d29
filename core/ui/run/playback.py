"""An exploration played back, by a component of our own that never interprets text and steps without the server."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from core.drawings.network_drawing import built
from core.drawings.playback import Frame, frames
from core.trace.artefacts import Artefact
from core.ui.run.network import library
from core.ui.shell.assets import drawing
from core.ui.shell.theme import reading_aid

HEIGHT = 560
"""Of the picture, in pixels."""
KEPT = 16
"""Explorations that are kept for when they are drawn again."""


def draw_playback(artefacts: Sequence[Artefact], key: str, *, colour: str, height: int = HEIGHT) -> None:
    """The exploration of a run as far as it is; nothing where there is none.

    Args:
        artefacts: Of the run, in their order.
        key: Unique on the page and stable between redraws.
        colour: Of what is chosen: the strategy's.
        height: Of the picture, in pixels.
    """
    found = frames(artefacts)
    if not found:
        return
    with st.container(border=True, key=f"playback-{key}", gap="small"):
        st.markdown(":material/explore: **The way through the graph**")
        reading_aid(
            "Grey could be next, ✓ is chosen, ▶ is where it starts, a dashed red line is a dead end. "
            "A rounded box is a relation with the nodes that it leads to."
        )
        data = playback_data(found) | {"colour": colour, "height": height, "library": library()}
        drawing("playback")(data=data, key=f"playback-frames-{key}")


@lru_cache(maxsize=KEPT)
def playback_data(found: tuple[Frame, ...]) -> dict[str, object]:
    """All frames as plain values, which nobody may change.

    What frames of one board share is sent once, and a frame names it by its place.
    """
    nodes: defaultdict[int, dict[str, int]] = defaultdict(dict)
    edges: defaultdict[int, dict[str, int]] = defaultdict(dict)
    sent: list[dict[str, object]] = []
    options: dict[str, object] = {}
    for frame in found:
        drawn = built(frame.network, still=True)
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
