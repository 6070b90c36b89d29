"""A part of a knowledge graph as one HTML text that needs nothing else, drawn by the same script as on the page."""

from __future__ import annotations

from pathlib import Path

from core.cards.parts import Drawing
from core.drawings.network import Network
from core.drawings.network_drawing import network_drawing
from core.report.page import page

LIBRARY = Path(__file__).parents[2] / "static" / "vis-network.min.js"
PIXELS = 720
"""Height of the drawing."""


def network_report(network: Network, name: str) -> str:
    """Return the drawing of a part of the graph of this name, as a page of about half a megabyte."""
    data = {**vars(network_drawing(network)), "height": PIXELS}
    return page(
        "network.html",
        name,
        {},
        more="network",
        library=LIBRARY.read_text(encoding="utf-8"),
        name=name,
        hidden=network.hidden,
        drawing=Drawing("network", data, id="network"),
    )
