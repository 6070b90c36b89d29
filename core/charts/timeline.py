"""Timelines of one run and of several: when each step and each model call ran, side by side or one after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from core.cards.recorded import PACE, call_mark
from core.cards.texts import FAILED, MODEL_TIME, PLAYED_TIME, STEP_TIME, plain, shortened
from core.charts.columns import Column
from core.charts.styling import styled
from core.runs.record import Call, Record, State, Step
from core.strategies import node_titles

LANE_PIXELS = 30
READING = "Bars that overlap in time ran together; a bar that begins where another ends waited for it."
PLAYED_READING = f"The seconds of played calls are {PACE}."
SHORTEST = 0.004
"""Shortest bar, as a share of the whole axis: what is quicker would not be seen."""
CALL_COLOURS = {MODEL_TIME: "Model call", PLAYED_TIME: "Played call", FAILED: "Failed call"}
"""Colour of a call's bar -> what it means."""


@dataclass(frozen=True)
class Lane:
    """A step execution or a model call over the seconds of the run; raw text."""

    name: str
    detail: str
    step: str
    """Title of the step's node."""
    skill: str | None
    """The model call's skill in words; None: it is no model call."""
    played: bool
    """True if its reply was played from a recording."""
    state: State
    start: float
    """Seconds since the run started."""
    seconds: float

    @property
    def call(self) -> bool:
        """True if it is a model call."""
        return self.skill is not None

    @property
    def colour(self) -> str:
        """Colour of its bar."""
        if self.state == "failed":
            return FAILED
        return PLAYED_TIME if self.played else MODEL_TIME if self.call else STEP_TIME


def kinds(records: Iterable[Record]) -> tuple[tuple[str, str], ...]:
    """Meanings and colours of the bars of these runs; played calls only where there are some."""
    played = (("Played call", PLAYED_TIME),) if _plays(records) else ()
    return (("Step", STEP_TIME), ("Model call", MODEL_TIME), *played, ("Failed", FAILED))


def reading(*records: Record) -> str:
    """Explain how to read the timelines of these runs."""
    return f"{READING} {PLAYED_READING}" if _plays(records) else READING


def _plays(records: Iterable[Record]) -> bool:
    return any(call.recorded for record in records for call in record.calls)


def lanes(record: Record) -> Iterator[Lane]:
    """Every step execution of a run so far, each followed by its model calls."""
    titles = node_titles(record.started)

    def span(item: Step | Call) -> tuple[State, float, float]:
        end = record.seconds if item.end is None else item.end
        return item.state, item.start, max(end - item.start, 0.0)

    for number, step in enumerate(record.executions, 1):
        title = titles.get(step.node, step.node)
        end = ", stopped" if step.state == "stopped" else ""  # where the run goes on, it is there again
        yield Lane(f"{number}. {title}{end}", step.label, title, None, False, *span(step))
        for count, call in enumerate(step.calls, 1):
            written, skill = call.usage.output, call.skill.replace("_", " ")
            tokens = f"{written} tokens out" if written is not None else "tokens not counted"
            detail = ", ".join(filter(None, [call.model, tokens, call_mark(call)]))
            yield Lane(f"{number}.{count} {skill}", detail, title, skill, bool(call.recorded), *span(call))


def timeline(record: Record) -> go.Figure:
    """A bar per step execution and below it a bar per model call, over the seconds of the run so far."""
    figure = go.Figure()
    for kind, colour in kinds([record]):
        figure.add_bar(x=[None], y=[None], name=kind, marker_color=colour, orientation="h")
    own = [(plain(lane.name), lane) for lane in lanes(record)]
    _bars(figure, "", own, [lane.colour for _, lane in own], record.seconds, width=0.65)
    _time_axes(figure, [name for name, _ in own], above=110)
    return figure


def timelines(columns: Sequence[Column]) -> go.Figure:
    """A lane per step, the columns below one another; model calls lie on the steps that made them."""
    figure = go.Figure()
    names: dict[str, None] = {}
    longest = max((column.record.seconds for column in columns), default=0.0)
    drawn = {MODEL_TIME}
    for column in columns:
        # Steps of one node that ran at once share a lane: a fan-out of ten stays one line.
        own = [(f"{column.mark} · {plain(lane.step)}", lane) for lane in lanes(column.record)]
        names |= dict.fromkeys(name for name, _ in own)
        steps = [row for row in own if not row[1].call]
        _bars(figure, plain(column.name), steps, column.colour, longest, width=0.72, opacity=0.4)
        for colour in CALL_COLOURS:
            calls = [row for row in own if row[1].call and row[1].colour == colour]
            drawn |= {colour} if calls else set()
            _bars(figure, "", calls, colour, longest, width=0.34)
    for colour, name in CALL_COLOURS.items():
        if colour in drawn:
            figure.add_bar(x=[None], y=[None], name=name, marker_color=colour, orientation="h")
    _time_axes(figure, list(names), above=130)
    return figure


def _bars(
    figure: go.Figure,
    name: str,
    own: Sequence[tuple[str, Lane]],
    colour: str | Sequence[str],
    longest: float,
    *,
    width: float,
    opacity: float = 1.0,
) -> None:
    figure.add_bar(
        x=[max(lane.seconds, SHORTEST * longest) for _, lane in own],
        base=[lane.start for _, lane in own],
        y=[row for row, _ in own],
        width=width,
        orientation="h",
        name=name,
        marker_color=colour,
        opacity=opacity,
        showlegend=bool(name),
        hovertext=[
            f"{row}<br>{lane.start:.2f} s + {lane.seconds:.2f} s, {lane.state}<br>"
            + (f"Model call: {plain(lane.skill)}<br>" if lane.skill else "")
            + shortened(lane.detail, 120)
            for row, lane in own
        ],
        hoverinfo="text",
    )


def _time_axes(figure: go.Figure, names: Sequence[str], *, above: int) -> None:
    """Seconds from left to right, one lane below the other; the figure is so many pixels higher than its lanes."""
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    styled(figure, above + LANE_PIXELS * max(3, len(names)), barmode="overlay", legend=legend)
    figure.update_xaxes(title="Seconds since the question was asked", rangemode="tozero")
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=names[::-1], title=None)
