"""When each step and each model call ran: what was at the same time, and what waited."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from core.runs.record import Call, Record, Step
from core.views.colours import FAILED, MODEL_TIME, STEP_TIME
from core.views.texts import plain

LANE_PIXELS = 30


def timeline(record: Record, titles: Mapping[str, str]) -> go.Figure:
    """A bar per step execution and below it a bar per model call, over the seconds of the run.

    Args:
        record: The run as far as it is.
        titles: Node -> what it is called on screen.
    """
    lanes: list[str] = []
    figure = go.Figure()
    for kind, colour in (("Step", STEP_TIME), ("Model call", MODEL_TIME), ("Failed", FAILED)):
        figure.add_bar(x=[None], y=[None], name=kind, marker_color=colour, orientation="h")
    for number, step in enumerate(record.executions, 1):
        lane = f"{number}. {plain(titles.get(step.node, step.node))}"
        lanes.append(lane)
        _bar(figure, lane, step, STEP_TIME, record.seconds, plain(step.label[:120]))
        for count, call in enumerate(step.calls, 1):
            below = f"{number}.{count} {plain(call.skill.replace('_', ' '))}"
            lanes.append(below)
            tokens = (
                f"{call.usage.output} tokens out" if call.usage.output is not None else "tokens not counted"
            )
            _bar(figure, below, call, MODEL_TIME, record.seconds, f"{plain(call.model)}, {tokens}")
    figure.update_layout(
        barmode="overlay",
        bargap=0.35,
        height=110 + LANE_PIXELS * max(3, len(lanes)),
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        font={"size": 14},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    figure.update_xaxes(title="Seconds since the question was asked", rangemode="tozero")
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=lanes[::-1], title=None)
    return figure


def _bar(figure: go.Figure, lane: str, item: Step | Call, colour: str, now: float, detail: str) -> None:
    length = max((now if item.end is None else item.end) - item.start, 0.0)
    figure.add_bar(
        x=[max(length, 0.002)],
        base=[item.start],
        y=[lane],
        orientation="h",
        marker_color=FAILED if item.state == "failed" else colour,
        showlegend=False,
        hovertemplate=f"{lane}<br>{item.start:.2f} s + {length:.2f} s, {item.state}<br>{detail}"
        "<extra></extra>",
    )
