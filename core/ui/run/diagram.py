"""Draws a strategy's diagram with a component of our own: Streamlit's HTML element removes SVG."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from core.drawings.diagram import diagram_svg
from core.runs.record import Step
from core.strategies.base import AnyStrategy
from core.ui.shell.assets import drawing


def draw_diagram(
    strategy: AnyStrategy,
    key: str,
    steps: Sequence[Step] = (),
    params: Mapping[str, Any] | None = None,
    *,
    read: Collection[str] = (),
    waiting: Collection[str] = (),
    choose: Callable[[str], None] | None = None,
) -> None:
    """The strategy's graph, lit where it runs; below one another, or across on a narrow page.

    Args:
        strategy: To be drawn.
        key: Tells it from other diagrams of the page.
        steps: The executions so far.
        params: With which it runs; None: its defaults.
        read: Nodes whose step is on the stage, which are marked.
        waiting: Nodes that come next, as soon as somebody lets the run go on.
        choose: What a click on a node that has run does; None: nodes lead nowhere.
    """
    graph = strategy.diagram(params)
    down = diagram_svg(graph, steps, strategy.colour, waiting=waiting)
    across = diagram_svg(graph, steps, strategy.colour, across=True, waiting=waiting)
    data: dict[str, Any] = {"down": down, "across": across}
    if choose is None:
        drawing("diagram")(data=data, key=f"diagram-{key}")
        return
    data |= {"read": sorted(read), "leads": sorted({step.node for step in steps})}
    name = f"diagram-{key}"

    def chosen() -> None:
        node = st.session_state[name].get("node")
        if node in graph.nodes:
            choose(node)

    drawing("diagram")(data=data, key=name, on_node_change=chosen)
