"""The strategy's own graph as SVG, with what each node has done so far.

The text in it is our own: node titles, counts and seconds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from core.runs.record import State, Step
from core.strategies.base import Diagram, Edge
from core.views.colours import FAILED

START, END = "__start__", "__end__"
DOT = 9
SIDE = 26
"""Distance between neighbours of one layer, in SVG units."""


@dataclass(frozen=True)
class Geometry:
    """Sizes in SVG units."""

    across: bool
    """Layers from left to right instead of from top to bottom."""
    width: int
    height: int
    gap: int
    """Distance between layers."""
    letters: int
    """Characters in a line of a node's title."""

    @property
    def along(self) -> int:
        """Size of a node in the direction of the arrows."""
        return self.width if self.across else self.height

    @property
    def beside(self) -> int:
        """Size of a node across the direction of the arrows."""
        return self.height if self.across else self.width


DOWN = Geometry(across=False, width=206, height=72, gap=38, letters=17)
ACROSS = Geometry(across=True, width=128, height=84, gap=26, letters=11)


@dataclass(frozen=True)
class NodeState:
    """What a node has done so far, over all its executions."""

    state: State | Literal["idle"]
    remark: str
    """Seconds, or how many of its executions are done."""


def node_state(steps: Sequence[Step]) -> NodeState:
    """Sum of a node's executions.

    Args:
        steps: Executions of one node.
    """
    if not steps:
        return NodeState("idle", "")
    states = {step.state for step in steps}
    times = f"{len(steps)} × " if len(steps) > 1 else ""
    if "running" in states:
        done = sum(step.state == "finished" for step in steps)
        return NodeState("running", f"{done} of {len(steps)} done" if len(steps) > 1 else "running")
    seconds = max(step.end or step.start for step in steps) - min(step.start for step in steps)
    for state in ("failed", "stopped"):
        if state in states:
            return NodeState(state, f"{times}{state}")
    return NodeState("finished", f"{times}{seconds:.2f} s")


def diagram_svg(diagram: Diagram, steps: Sequence[Step], colour: str, *, across: bool = False) -> str:
    """The graph as an SVG element that takes the page's text colour.

    Args:
        diagram: Nodes and arrows.
        steps: The executions so far; empty for a graph that has not run.
        colour: The strategy's colour, `#rrggbb`.
        across: Layers from left to right instead of from top to bottom.
    """
    shape = ACROSS if across else DOWN
    places, (width, height) = _layout(diagram, shape)
    parts = [_edge(edge, places, shape) for edge in diagram.edges]
    for node, title in diagram.nodes.items():
        x, y = places[node]
        if node in (START, END):
            parts.append(_dot(x, y, filled=node == START))
        else:
            parts.append(
                _node(title, node_state([step for step in steps if step.node == node]), x, y, colour, shape)
            )
    marker = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="currentColor"/></marker></defs>'
    )
    body = "".join(parts)
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="Diagram of the strategy" '
        f'font-size="17" style="max-width:{width:.0f}px">{marker}{body}</svg>'
    )


def _layout(diagram: Diagram, shape: Geometry) -> tuple[dict[str, tuple[float, float]], tuple[float, float]]:
    """Centre of each node and the size of the whole."""
    layers: dict[int, list[str]] = {}
    for node, layer in layering(diagram).items():
        layers.setdefault(layer, []).append(node)
    widest = max(len(nodes) for nodes in layers.values())
    extent = widest * shape.beside + (widest - 1) * SIDE + 2 * _lane(diagram)
    places: dict[str, tuple[float, float]] = {}
    position = 0.0
    for layer in sorted(layers):
        nodes = layers[layer]
        size = 2.0 * DOT + 4 if set(nodes) <= {START, END} else shape.along
        for index, node in enumerate(nodes):
            offset = extent / 2 + (index - (len(nodes) - 1) / 2) * (shape.beside + SIDE)
            centre = position + size / 2
            places[node] = (centre, offset) if shape.across else (offset, centre)
        position += size + shape.gap
    length = position - shape.gap + 2
    return places, ((length, extent) if shape.across else (extent, length))


def _lane(diagram: Diagram) -> int:
    """Room beside the nodes for arrows that go back or jump over layers."""
    layers = layering(diagram)
    return SIDE if any(layers[edge.target] - layers[edge.source] != 1 for edge in diagram.edges) else 2


def layering(diagram: Diagram) -> dict[str, int]:
    """Layer of each node: its longest way from the start, arrows that go back left out."""
    arrows: dict[str, list[str]] = {node: [] for node in diagram.nodes}
    for edge in diagram.edges:
        arrows[edge.source].append(edge.target)
    layers = dict.fromkeys(diagram.nodes, 0)

    def visit(node: str, layer: int, way: tuple[str, ...]) -> None:
        layers[node] = max(layers[node], layer)
        for target in arrows[node]:
            if target not in (*way, node):
                visit(target, layer + 1, (*way, node))

    visit(START, 0, ())
    return layers


def _edge(edge: Edge, places: dict[str, tuple[float, float]], shape: Geometry) -> str:
    dashed = ' stroke-dasharray="5 5"' if edge.conditional else ""
    return (
        f'<path d="{_path(edge, places, shape)}" fill="none" stroke="currentColor" stroke-opacity=".55" '
        f'stroke-width="1.8"{dashed} marker-end="url(#tip)"/>'
    )


def _path(edge: Edge, places: dict[str, tuple[float, float]], shape: Geometry) -> str:
    """A straight arrow to the next layer; back or over a layer, a curve around the side; to itself, a loop there."""
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    out, into = (DOT + 1 if node in (START, END) else shape.along / 2 for node in (edge.source, edge.target))
    beside = shape.beside / 2
    if edge.source == edge.target and shape.across:
        return f"M{x1 - 14} {y1 + beside} c0 {SIDE} 28 {SIDE} 28 2"
    if edge.source == edge.target:
        return f"M{x1 + beside} {y1 - 14} c{SIDE} 0 {SIDE} 28 2 28"
    if shape.across:
        if 0 < x2 - x1 - out - into <= shape.gap + 1:
            return f"M{x1 + out} {y1} L{x2 - into - 2} {y2}"
        y = max(y1, y2) + beside
        return f"M{x1} {y1 + beside} C{x1} {y + SIDE} {x2} {y + SIDE} {x2} {y2 + beside + 2}"
    if 0 < y2 - y1 - out - into <= shape.gap + 1:
        return f"M{x1} {y1 + out} L{x2} {y2 - into - 2}"
    x = max(x1, x2) + beside
    return f"M{x1 + beside} {y1} C{x + SIDE} {y1} {x + SIDE} {y2} {x2 + beside + 2} {y2}"


def _dot(x: float, y: float, *, filled: bool) -> str:
    fill = "currentColor" if filled else "none"
    return (
        f'<circle cx="{x}" cy="{y}" r="{DOT}" fill="{fill}" stroke="currentColor" stroke-width="2" '
        'opacity=".65"/>'
    )


def _node(title: str, state: NodeState, x: float, y: float, colour: str, shape: Geometry) -> str:
    stroke = {"failed": FAILED, "idle": "currentColor"}.get(state.state, colour)
    fill = {"idle": 0.0, "running": 0.45, "finished": 0.16}.get(state.state, 0.08)
    mark = {"finished": "✓\u00a0", "failed": "✗\u00a0", "stopped": "■\u00a0", "running": "▸\u00a0"}.get(
        state.state, ""
    )
    weight = 3.5 if state.state == "running" else 2
    faint = ' stroke-opacity=".4"' if state.state == "idle" else ""
    lines = textwrap.wrap(mark + title, shape.letters)[:2]
    if state.remark:
        lines.append(state.remark)
    first = y - (len(lines) - 1) * 9.5 + 6
    texts = "".join(
        f'<text x="{x}" y="{first + 19 * i}" text-anchor="middle" fill="currentColor"'
        f"{_weight(i, bool(state.remark), len(lines))}>{escape(line)}</text>"
        for i, line in enumerate(lines)
    )
    return (
        f'<g class="node {state.state}"><rect x="{x - shape.width / 2 + 2}" y="{y - shape.height / 2 + 2}" '
        f'width="{shape.width - 4}" height="{shape.height - 4}" rx="11" '
        f'fill="{colour}" fill-opacity="{fill}" stroke="{stroke}" '
        f'stroke-width="{weight}"{faint}/>{texts}</g>'
    )


def _weight(line: int, remark: bool, lines: int) -> str:
    return ' font-size="14" opacity=".8"' if remark and line == lines - 1 else ' font-weight="600"'
