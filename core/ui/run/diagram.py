"""Draws a strategy's diagram with a component of our own: Streamlit's HTML element removes SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.drawings.diagram import diagram_svg
from core.runs.record import Step
from core.strategies.base import AnyStrategy
from core.ui.shell.assets import drawing


def draw_diagram(
    strategy: AnyStrategy, key: str, steps: Sequence[Step] = (), params: Mapping[str, Any] | None = None
) -> None:
    """The strategy's graph, lit where it runs; below one another, or across on a narrow page.

    Args:
        strategy: To be drawn.
        key: Tells it from other diagrams of the page.
        steps: The executions so far.
        params: With which it runs; None: its defaults.
    """
    graph = strategy.diagram(params)
    down = diagram_svg(graph, steps, strategy.colour)
    across = diagram_svg(graph, steps, strategy.colour, across=True)
    drawing("diagram")(data={"down": down, "across": across}, key=f"diagram-{key}")
