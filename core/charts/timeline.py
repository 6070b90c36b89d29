"""When each step and each model call of one run or of several ran: what was at the same time, and what waited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from core.cards.colours import FAILED, MODEL_TIME, PLAYED_TIME, STEP_TIME
from core.cards.recorded import PACE, call_mark
from core.cards.texts import plain, shortened
from core.charts.columns import Column
from core.charts.styling import styled
from core.runs.record import Call, Record, State, Step
from core.strategies import node_titles

LANE_PIXELS = 30
READING = "Bars above one another ran at the same time; a bar that begins where another ends waited for it."
PLAYED_READING = f"The seconds of played calls are {PACE}."
SHORTEST = 0.004
"""Shortest bar, as a share of the whole axis: what is quicker would not be seen."""
CALLS = {MODEL_TIME: "Model call", PLAYED_TIME: "Played call", FAILED: "Failed call"}
"""Colour of a call's bar -> what it means."""


@dataclass(frozen=True)
class Lane:
    """A step execution or a model call over the seconds of the run; raw text."""

    name: str
    detail: str
    call: bool
    """Whether it is a model call."""
    played: bool
    """Whether its reply was played from a recording."""
    state: State
    start: float
    """Seconds since the run started."""
    seconds: float


def kinds(records: Iterable[Record]) -> tuple[tuple[str, str], ...]:
    """Meanings and colours of the bars of these runs; played calls only where there are some."""
    played = any(call.recorded for record in records for call in record.calls)
    told = (("Played call", PLAYED_TIME),) if played else ()
    return (("Step", STEP_TIME), ("Model call", MODEL_TIME), *told, ("Failed", FAILED))


def reading(*records: Record) -> str:
    """How to read the timelines of these runs."""
    played = any(call.recorded for record in records for call in record.calls)
    return f"{READING} {PLAYED_READING}" if played else READING


def lanes(record: Record) -> Iterator[Lane]:
    """Every step execution of a run so far, each followed by its model calls."""
    titles = node_titles(record.started)

    def lane(name: str, detail: str, item: Step | Call) -> Lane:
        end = record.seconds if item.end is None else item.end
        call = isinstance(item, Call)
        played = isinstance(item, Call) and bool(item.recorded)
        return Lane(name, detail, call, played, item.state, item.start, max(end - item.start, 0.0))

    for number, step in enumerate(record.executions, 1):
        yield lane(f"{number}. {titles.get(step.node, step.node)}", step.label, step)
        for count, call in enumerate(step.calls, 1):
            written = call.usage.output
            tokens = f"{written} tokens out" if written is not None else "tokens not counted"
            mark = f", {told}" if (told := call_mark(call)) else ""
            yield lane(
                f"{number}.{count} {call.skill.replace('_', ' ')}", f"{call.model}, {tokens}{mark}", call
            )


def timeline(record: Record) -> go.Figure:
    """A bar per step execution and below it a bar per model call, over the seconds of the run so far."""
    figure = go.Figure()
    for kind, colour in kinds([record]):
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
    styled(figure, above + LANE_PIXELS * max(3, len(lanes)), barmode="overlay", legend=legend)
    figure.update_xaxes(title="Seconds since the question was asked", rangemode="tozero")
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=lanes[::-1], title=None)


def lane_colour(lane: Lane) -> str:
    """Colour of a lane's bar."""
    if lane.state == "failed":
        return FAILED
    return PLAYED_TIME if lane.played else MODEL_TIME if lane.call else STEP_TIME


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
