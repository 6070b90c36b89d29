"""A run replayed: the same drawing as when it was live, at any moment of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.replay import Moment, count_at, moments
from core.runs.record import Record, record
from core.strategies import node_titles
from core.trace.events import Event, RunStarted
from core.ui.fixes.ticking import ticking
from core.ui.run import citations, scrubber
from core.ui.run.whole_run import draw_run


def draw_replay(events: Sequence[Event], *, attempts: int, parent: Record | None) -> None:
    """Scrubber, play, and the run as it was at that moment.

    Args:
        events: All events of the run, at least its start.
        attempts: Tries per model call in all, for the line about retries.
        parent: The run that a fork was forked from; None: there is none, or it is gone.
    """
    started = events[0]
    if not isinstance(started, RunStarted):
        return
    found = moments(events, node_titles(started))
    tick = scrubber.TICK_SECONDS if scrubber.is_playing(started.run) else None
    ticking(tick)(_replay)(events, found, started.run, attempts, parent)


def _replay(
    events: Sequence[Event], found: Sequence[Moment], run: str, attempts: int, parent: Record | None
) -> None:
    place = scrubber.position(found, run)
    count = found[place.moment].count if place.at is None else count_at(events, place.at)
    with st.container(border=True, key="replay"):
        scrubber.controls(found, run, events[count - 1].at)
    citations.close_when_moved(run, count)
    draw_run(record(events[:count]), attempts=attempts, parent=parent, editable=count == len(events))
