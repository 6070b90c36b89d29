"""What all nodes and edges of a drawn graph share, and how the drawing behaves, as vis-network reads it."""

from __future__ import annotations

from typing import Any

WIDTH = 2
"""Of an edge that is nothing special, in units of the drawing."""
ITERATIONS = 100
"""Steps of the physics after which a drawing stands still."""
_SCALING = {"label": {"drawThreshold": 8}}
_NODES = {
    "margin": 6,
    "borderWidth": 2,
    "borderWidthSelected": 5,
    "shapeProperties": {"borderDashes": False, "borderRadius": 2},
    "scaling": _SCALING,
}
_EDGES = {
    "arrows": {"to": {"enabled": True, "scaleFactor": 0.8}},
    "width": WIDTH,
    "dashes": False,
    "smooth": False,
    "color": {"color": "quiet", "highlight": "text", "inherit": False, "opacity": 1},
    "scaling": _SCALING,
    "selectionWidth": 2,
}


def network_options(count: int, large: float, few: float, *, still: bool) -> dict[str, Any]:
    """The options of a drawing; there is no space in any of them, since pyvis takes spaces out.

    Args:
        count: Number of nodes.
        large: How many times larger the names of nodes are than in other drawings.
        few: The same of relations.
        still: Whether all nodes come with their place.
    """
    return {
        "layout": {"improvedLayout": False, "randomSeed": 7},
        "interaction": {
            "tooltipDelay": 120,
            "zoomView": False,
            "selectConnectedEdges": False,
            "hideEdgesOnDrag": True,
        },
        "nodes": _NODES | {"font": _font(17 * large) | {"vadjust": -4}},
        "edges": _EDGES | {"font": _font(16 * few)},
        "physics": {"enabled": False} if still else _physics(count),
    }


def _font(size: float) -> dict[str, Any]:
    return {
        "color": "text",
        "size": size,
        "face": "font",
        "multi": False,
        "strokeWidth": 4,
        "strokeColor": "back",
    }


def _physics(count: int) -> dict[str, Any]:
    """Few nodes stand further apart, so that the relations between them can be read."""
    return {
        "barnesHut": {
            "gravitationalConstant": -7000,
            "springLength": 180 if count < 30 else 200 if count < 80 else 140,
            "springConstant": 0.05,
            "centralGravity": 0.25,
            "damping": 0.25,
            "avoidOverlap": 0.5,
        },
        "stabilization": {"iterations": ITERATIONS, "updateInterval": ITERATIONS, "fit": False},
    }
