"""A run replayed: the same drawing as when it was live, at any scene of it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.narration import narration
from core.cards.replay import takes
from core.runs.record import Record, record
from core.strategies import node_titles
from core.trace.events import Event, RunStarted
from core.ui.fixes.ticking import ticking
from core.ui.run import citations, scrubber
from core.ui.run.opened import follow
from core.ui.run.scrubber import Said
from core.ui.run.whole_run import draw_run


def draw_replay(events: Sequence[Event], *, attempts: int, parent: Record | None) -> None:
    """The run as it was at a scene, and the controls docked below it.

    Args:
        events: All events of the run, at least its start.
        attempts: Tries per model call in all, for the line about retries.
        parent: The run that a fork was forked from; None: there is none, or it is gone.
    """
    started = events[0]
    if not isinstance(started, RunStarted):
        return
    tick = scrubber.tick(started.run)
    ticking(tick)(_replay)(events, started, attempts, parent, tick is not None)


def _replay(
    events: Sequence[Event], started: RunStarted, attempts: int, parent: Record | None, ticks: bool
) -> None:
    whole = record(events)
    found = takes(events, node_titles(started), whole)
    scene = scrubber.position(len(found), started.run, ticks=ticks)
    take = found[scene]
    if citations.close_when_moved(started.run, scene):
        follow(started.run)
    at_end = take.count == len(events)
    shown = whole if at_end else record(events[: take.count])
    draw_run(
        shown,
        attempts=attempts,
        parent=parent,
        editable=at_end,
        gold=whole.baseline.gold if whole.baseline else None,
        replayed="" if at_end else take.title,
    )
    titles = [" · ".join(filter(None, (one.title, one.took))) for one in found]
    scrubber.controls(started.run, scene, titles, titles[scene], [Said(narration(whole, take))])
