"""The moments of a run at which the picture changes: what a replay steps through."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.cards.kinds import KINDS
from core.trace.events import (
    ArtefactMade,
    Event,
    ModelFailed,
    ModelStarted,
    ReplyMissing,
    Retried,
    RunFailed,
    RunFinished,
    RunResumed,
    RunStarted,
    RunStopped,
    StepStarted,
    Token,
)

SAME_MOMENT = 0.05
"""Seconds within which equal things, such as the branches of a fan-out, count as one moment."""
_TITLES: dict[type, str] = {
    RunStarted: "The question",
    ModelFailed: "A model call fails",
    ReplyMissing: "The recording has no reply",
    Retried: "It is tried again",
    RunResumed: "The run goes on",
    RunFinished: "Done",
    RunFailed: "The run fails",
    RunStopped: "The run is stopped",
}
"""Events that are always a moment, whatever they hold."""


@dataclass(frozen=True)
class Moment:
    """A point of a run, just after its `count`-th event."""

    count: int
    """How many events have happened by then, at least 1."""
    at: float
    """Seconds since the run started."""
    title: str
    """What has just happened, in a few words; raw text."""


def moments(events: Sequence[Event], titles: Mapping[str, str]) -> list[Moment]:
    """The moments of a run, in order; the last one is its end, or where it is now.

    Args:
        events: All events so far.
        titles: Node -> what it is called on screen.
    """
    found: list[Moment] = []
    answering: set[str] = set()
    for count, event in enumerate(events, 1):
        title = _title(event, titles, answering)
        if not title:
            continue
        if found and found[-1].title == title and event.at - found[-1].at < SAME_MOMENT:
            found.pop()
        found.append(Moment(count, event.at, title))
    if events and (not found or found[-1].count < len(events)):
        found.append(Moment(len(events), events[-1].at, "Where it is now"))
    return found


def _title(event: Event, titles: Mapping[str, str], answering: set[str]) -> str:
    match event:
        case StepStarted():
            return f"{titles.get(event.node, event.node)} begins"
        case ModelStarted():
            return f"The model is asked: {event.skill.replace('_', ' ')}"
        case ArtefactMade():
            return KINDS[event.artefact.kind].moment
        case Token() if event.call not in answering:
            answering.add(event.call)
            return "The answer begins"
    return _TITLES.get(type(event), "")


def count_at(events: Sequence[Event], at: float) -> int:
    """How many events had happened `at` seconds after the start; at least 1."""
    return max(1, bisect_right(events, at, key=lambda event: event.at))


def moment_at(found: Sequence[Moment], at: float) -> int:
    """Index of the last moment that had come `at` seconds after the start; 0 before the first."""
    return max(0, bisect_right(found, at, key=lambda moment: moment.at) - 1)


def merged(runs: Mapping[str, Sequence[Moment]]) -> list[Moment]:
    """The moments of several runs that began together, on one axis of time.

    Args:
        runs: What a run is called -> its moments.

    Returns:
        In order of time; `count` tells how many of them have come, the question is theirs all.
    """
    every = [(one.at, f"{name}: {one.title}") for name, found in runs.items() for one in found[1:]]
    start = [(0.0, "The question")]
    return [Moment(count, at, title) for count, (at, title) in enumerate(start + sorted(every), 1)]
