"""When the steps and model calls of several runs took place, on one axis of time."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.cards.colours import FAILED, MODEL_TIME, PLAYED_TIME
from core.cards.texts import plain
from core.charts.columns import Column
from core.charts.timeline import time_axes
from core.runs.record import Call, Step
from core.strategies import node_titles

SHORTEST = 0.004
"""Shortest bar, as a share of the whole axis: what is quicker would not be seen."""


CALLS = {MODEL_TIME: "Model call", PLAYED_TIME: "Played call", FAILED: "Failed call"}
"""Colour of a call's bar -> what it means."""


def _colour(call: Call) -> str:
    return FAILED if call.state == "failed" else PLAYED_TIME if call.recorded else MODEL_TIME


def timelines(columns: Sequence[Column]) -> go.Figure:
    """A lane per step, the columns below one another; model calls lie on the steps that made them."""
    figure = go.Figure()
    lanes: list[str] = []
    longest = max((column.record.seconds for column in columns), default=0.0)
    for column in columns:
        titles = node_titles(column.record.started)
        # Steps of one node that ran at once share a lane: a fan-out of ten stays one line.
        own = {
            step.id: f"{column.mark} · {plain(titles.get(step.node, step.node))}"
            for step in column.record.executions
        }
        lanes += dict.fromkeys(own.values())
        steps = [(own[step.id], step, plain(step.label[:100])) for step in column.record.executions]
        calls = [
            (own[step.id], call, f"Model call: {plain(call.skill.replace('_', ' '))}")
            for step in column.record.executions
            for call in step.calls
        ]
        now = column.record.seconds
        _bars(figure, plain(column.name), steps, column.colour, now, longest, width=0.72, opacity=0.4)
        for colour in CALLS:
            own_calls = [one for one in calls if _colour(one[1]) == colour]
            _bars(figure, "", own_calls, colour, now, longest, width=0.34)
    there = {_colour(call) for column in columns for call in column.record.calls} | {MODEL_TIME}
    for name, colour in ((CALLS[colour], colour) for colour in CALLS if colour in there):
        figure.add_bar(x=[None], y=[None], name=name, marker_color=colour, orientation="h")
    time_axes(figure, lanes, above=130)
    return figure


def _bars(
    figure: go.Figure,
    name: str,
    items: Sequence[tuple[str, Step | Call, str]],
    colour: str,
    now: float,
    longest: float,
    *,
    width: float,
    opacity: float = 1.0,
) -> None:
    spans = [
        (item.start, max(0.0, (now if item.end is None else item.end) - item.start)) for _, item, _ in items
    ]
    figure.add_bar(
        x=[max(length, SHORTEST * longest) for _, length in spans],
        base=[start for start, _ in spans],
        y=[lane for lane, _, _ in items],
        width=width,
        orientation="h",
        name=name,
        marker_color=colour,
        opacity=opacity,
        showlegend=bool(name),
        hovertext=[
            f"{lane}<br>{start:.2f} s + {length:.2f} s, {item.state}<br>{detail}"
            for (lane, item, detail), (start, length) in zip(items, spans, strict=True)
        ],
        hoverinfo="text",
    )
