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

    It runs with `params` (None: its defaults). Nodes are marked whose step is on the stage (`read`), and that come next
    as soon as somebody lets the run go on (`waiting`). A click on a node that has run calls `choose`; None: nodes lead
    nowhere.
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
