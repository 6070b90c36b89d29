"""The strategy's own graph as SVG, with what each node has done so far.

The text in it is our own: node titles, counts and seconds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from core.cards.texts import FAILED
from core.drawings.layout import (
    ABREAST,
    ACROSS,
    DOT,
    DOWN,
    END,
    MANY,
    NARROW,
    SLIM,
    START,
    Geometry,
    lanes,
    layout,
    path,
    widest,
)
from core.models.timing import covered
from core.runs.record import State, Step
from core.strategies.base import Diagram, Edge

LEAST = 0.66
"""Smallest scale of a graph drawn across: its text stays legible, and the page scrolls beside it."""


@dataclass(frozen=True)
class NodeState:
    """The state of a node so far, over all its executions."""

    state: State | Literal["idle", "waiting"]
    remark: str
    """Seconds during which at least one of its executions was under way, or how many of them are done."""


def node_state(steps: Sequence[Step]) -> NodeState:
    """Sum of the executions of one node."""
    if not steps:
        return NodeState("idle", "")
    states = {step.state for step in steps}
    if "running" in states:
        done = sum(step.state == "finished" for step in steps)
        return NodeState("running", f"{done} of {len(steps)} done" if len(steps) > 1 else "running")
    for bad in ("failed", "stopped"):
        if bad in states:
            count = sum(step.state == bad for step in steps)
            return NodeState(bad, f"{count} of {len(steps)} {bad}" if len(steps) > 1 else bad)
    steps = [step for step in steps if not step.inherited]
    if not steps:
        return NodeState("finished", "taken over")
    # Executions of one layer run at once, those of a loop with others in between.
    seconds = covered((step.start, step.end or step.start) for step in steps)
    every = f" for all {len(steps)}" if len(steps) > 1 else ""
    return NodeState("finished", f"{seconds:.2f} s{every}")


def diagram_svg(
    diagram: Diagram,
    steps: Sequence[Step],
    colour: str,
    *,
    across: bool = False,
    waiting: Collection[str] = (),
) -> str:
    """Return the graph as an SVG element that takes the page's text colour; its `data-most` and `data-least` are the
    widths that fit it, in pixels. `steps` are the executions so far, `colour` is the strategy's, `across` puts
    layers from left to right instead of from top to bottom, and `waiting` nodes come next, as soon as somebody lets
    the run go on."""
    if across:
        shape = NARROW if len(diagram.nodes) > MANY else ACROSS
    else:
        shape = SLIM if widest(diagram) >= ABREAST else DOWN
    places, (width, height) = layout(diagram, shape)
    beside = lanes(diagram)
    parts = [_edge(edge, places, shape, beside.get(edge)) for edge in diagram.edges]
    for node, title in diagram.nodes.items():
        x, y = places[node]
        if node in (START, END):
            fill = "currentColor" if node == START else "none"
            parts.append(
                f'<circle cx="{x}" cy="{y}" r="{DOT}" fill="{fill}" stroke="currentColor" stroke-width="2" '
                'opacity=".65"/>'
            )
        else:
            done = [step for step in steps if step.node == node]
            state = NodeState("waiting", "comes next") if node in waiting else node_state(done)
            parts.append(_node(node, title, state, x, y, colour, shape))
    marker = (
        f'<defs><marker id="{shape.tip}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="currentColor"/></marker></defs>'
    )
    body = "".join(parts)
    least = LEAST * width if across else 0
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="Diagram of the strategy" '
        f'font-size="17" data-most="{width:.0f}" data-least="{least:.0f}">{marker}{body}</svg>'
    )


def _edge(edge: Edge, places: dict[str, tuple[float, float]], shape: Geometry, lane: int | None) -> str:
    dashed = ' stroke-dasharray="5 5"' if edge.conditional else ""
    return (
        f'<path d="{path(edge, places, shape, lane)}" fill="none" stroke="currentColor" stroke-opacity=".55" '
        f'stroke-width="1.8"{dashed} marker-end="url(#{shape.tip})"/>'
    )


def _node(node: str, title: str, state: NodeState, x: float, y: float, colour: str, shape: Geometry) -> str:
    stroke = {"failed": FAILED, "idle": "currentColor"}.get(state.state, colour)
    fill = {"idle": 0.0, "running": 0.45, "finished": 0.16}.get(state.state, 0.08)
    sign = {"finished": "✓", "failed": "✗", "stopped": "■", "running": "▸", "waiting": "‖"}.get(state.state)
    mark = f"{sign}\u00a0" if sign else ""
    weight = 3.5 if state.state in ("running", "waiting") else 2
    line = {"idle": ' stroke-opacity=".4"', "waiting": ' stroke-dasharray="7 5"'}.get(state.state, "")
    wrapped = textwrap.wrap(mark + title, shape.letters)[: 2 if shape is DOWN else 3]
    lines = [(line, 'font-weight="600"') for line in wrapped]
    if state.remark:
        lines.append((state.remark, 'font-size="14" opacity=".8"'))
    first = y - (len(lines) - 1) * 9.5 + 6
    texts = "".join(
        f'<text x="{x}" y="{first + 19 * i}" text-anchor="middle" fill="currentColor" {look}>{escape(line)}</text>'
        for i, (line, look) in enumerate(lines)
    )
    left, top = x - shape.width / 2 + 2, y - shape.height / 2 + 2
    return (
        f'<g class="node {state.state}" data-node="{escape(node)}">'
        f'<rect x="{left}" y="{top}" width="{shape.width - 4}" height="{shape.height - 4}" rx="11" '
        f'fill="{colour}" fill-opacity="{fill}" stroke="{stroke}" stroke-width="{weight}"{line}/>{texts}</g>'
    )
