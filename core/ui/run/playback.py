"""An exploration played back, by a component of our own that never interprets text and steps without the server."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.texts import visible
from core.drawings.playback import Frame, frames
from core.trace.artefacts import Artefact
from core.ui.run.network import edge_data, library, node_data
from core.ui.shell.assets import asset, script
from core.ui.shell.theme import reading_aid

HEIGHT = 560
"""Of the picture, in pixels."""
_component = st.components.v2.component(
    "rag_loupe.playback",
    html='<div class="root"></div>',
    css=asset("network.css") + asset("playback.css"),
    js=script("graph.js", "playback.js"),
)


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
        _component(data=data, key=f"playback-frames-{key}")


def playback_data(found: Sequence[Frame]) -> dict[str, object]:
    """All frames as plain values; what frames of one board share is sent once, and a frame names it by its place."""
    boards: list[tuple[dict[str, int], list[dict[str, object]], dict[str, int], list[dict[str, object]]]] = []
    sent: list[dict[str, object]] = []
    for frame in found:
        while len(boards) <= frame.board:
            boards.append(({}, [], {}, []))
        node_places, nodes, edge_places, edges = boards[frame.board]
        for node in frame.network.nodes:
            if node.key not in node_places:
                node_places[node.key] = len(nodes)
                nodes.append(node_data(node))
        for edge in frame.network.edges:
            if edge.key not in edge_places:
                edge_places[edge.key] = len(edges)
                edges.append(edge_data(edge))
        sent.append(
            {
                "board": frame.board,
                "nodes": [[node_places[node.key], node.state] for node in frame.network.nodes],
                "edges": [[edge_places[edge.key], edge.state] for edge in frame.network.edges],
                "hidden": frame.network.hidden,
                "title": frame.title,
                "plan": frame.plan,
                "steps": [[what, visible(text)] for what, text in frame.steps],
                "at": frame.at,
                "text": visible(frame.text),
                "verdict": frame.verdict,
                "word": frame.word,
                "reason": visible(frame.reason),
                "failed": frame.failed,
            }
        )
    return {"frames": sent, "boards": [{"nodes": nodes, "edges": edges} for _, nodes, _, edges in boards]}
