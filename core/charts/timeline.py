"""When each step and each model call ran: what was at the same time, and what waited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from core.cards.colours import FAILED, MODEL_TIME, STEP_TIME
from core.cards.texts import plain, shortened
from core.charts.styling import styled
from core.runs.record import Call, Record, State, Step
from core.strategies import node_titles

LANE_PIXELS = 30
READING = "Bars above one another ran at the same time; a bar that begins where another ends waited for it."


@dataclass(frozen=True)
class Lane:
    """A step execution or a model call over the seconds of the run; raw text."""

    name: str
    detail: str
    call: bool
    """Whether it is a model call."""
    state: State
    start: float
    """Seconds since the run started."""
    seconds: float


def lanes(record: Record) -> Iterator[Lane]:
    """Every step execution of a run so far, each followed by its model calls."""
    titles = node_titles(record.started)

    def lane(name: str, detail: str, item: Step | Call) -> Lane:
        end = record.seconds if item.end is None else item.end
        return Lane(name, detail, isinstance(item, Call), item.state, item.start, max(end - item.start, 0.0))

    for number, step in enumerate(record.executions, 1):
        yield lane(f"{number}. {titles.get(step.node, step.node)}", step.label, step)
        for count, call in enumerate(step.calls, 1):
            written = call.usage.output
            tokens = f"{written} tokens out" if written is not None else "tokens not counted"
            yield lane(f"{number}.{count} {call.skill.replace('_', ' ')}", f"{call.model}, {tokens}", call)


def timeline(record: Record) -> go.Figure:
    """A bar per step execution and below it a bar per model call, over the seconds of the run so far."""
    figure = go.Figure()
    for kind, colour in (("Step", STEP_TIME), ("Model call", MODEL_TIME), ("Failed", FAILED)):
        figure.add_bar(x=[None], y=[None], name=kind, marker_color=colour, orientation="h")
    names: list[str] = []
    for lane in lanes(record):
        name = plain(lane.name)
        names.append(name)
        figure.add_bar(
            x=[max(lane.seconds, 0.002)],
            base=[lane.start],
            y=[name],
            orientation="h",
            marker_color=lane_colour(lane),
            showlegend=False,
            hovertemplate=f"{name}<br>{lane.start:.2f} s + {lane.seconds:.2f} s, {lane.state}<br>"
            f"{shortened(lane.detail, 120)}<extra></extra>",
        )
    figure.update_layout(bargap=0.35)
    time_axes(figure, names, above=110)
    return figure


def time_axes(figure: go.Figure, lanes: Sequence[str], *, above: int) -> None:
    """Seconds from left to right, one lane below the other.

    Args:
        lanes: Names, from the top.
        above: Pixels that the figure is higher than its lanes.
    """
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    styled(figure, above + LANE_PIXELS * max(3, len(lanes)), font=14, barmode="overlay", legend=legend)
    figure.update_xaxes(title="Seconds since the question was asked", rangemode="tozero")
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=lanes[::-1], title=None)


def lane_colour(lane: Lane) -> str:
    """Colour of a lane's bar."""
    return FAILED if lane.state == "failed" else MODEL_TIME if lane.call else STEP_TIME
