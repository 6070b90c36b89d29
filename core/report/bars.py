"""Timelines as bars: where each stands on an axis of seconds that may be shared by several runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10

from core.charts.timeline import Lane, lanes
from core.runs.record import Record

LEAST = 0.4
"""Width of the shortest bar, in percent of the axis."""


@dataclass(frozen=True)
class Bar:
    """A step or a model call; places are in percent of the axis."""

    lane: Lane
    colour: str
    x: float
    width: float
    row: int
    """Row of the bar, from 0."""


@dataclass(frozen=True)
class Tick:
    """A mark of the axis."""

    x: float
    """In percent of the axis."""
    text: str


def bars(record: Record, seconds: float) -> tuple[Bar, ...]:
    """A bar per step execution and model call, each in a row of its own.

    Args:
        record: The run as far as it is.
        seconds: Length of the axis, more than 0.
    """
    return tuple(_bar(lane, seconds, row) for row, lane in enumerate(lanes(record)))


def packed(record: Record, seconds: float) -> tuple[Bar, ...]:
    """The bars in as few rows as were busy at the same time: steps first, model calls below them."""
    found: list[Bar] = []
    every = list(lanes(record))
    base = 0
    for call in (False, True):
        free: list[float] = []
        for lane in sorted((one for one in every if one.call is call), key=lambda one: one.start):
            row = next((i for i, until in enumerate(free) if until <= lane.start + 1e-9), len(free))
            free[row : row + 1] = [lane.start + lane.seconds]
            found.append(_bar(lane, seconds, base + row))
        base += len(free)
    return tuple(found)


def _bar(lane: Lane, seconds: float, row: int) -> Bar:
    width = max(LEAST, 100 * lane.seconds / seconds)
    return Bar(lane, lane.colour, min(100 - LEAST, 100 * lane.start / seconds), width, row)


def axis(records: Iterable[Record]) -> float:
    """Length of an axis that holds these runs, in seconds."""
    return max((record.seconds for record in records), default=0.0) or 1.0


def ticks(seconds: float) -> tuple[Tick, ...]:
    """Marks at round numbers, at most seven.

    Args:
        seconds: Length of the axis, more than 0.
    """
    power: float = 10.0 ** floor(log10(seconds / 6))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * 6 >= seconds)
    digits = max(0, -floor(log10(step)))
    count = int(seconds / step + 1e-9)
    return tuple(
        Tick(100 * place * step / seconds, f"{place * step:.{digits}f} s") for place in range(count + 1)
    )
