"""One line that says what a run is doing right now."""

from __future__ import annotations

from collections.abc import Mapping

from core.cards.models import models_named
from core.retrieval.kept import work_under_way
from core.runs.record import Record, Step
from core.trace.events import Retried


def waiting(step: Step) -> Retried | None:
    """The retry that a running step waits for, if it does."""
    last = max(step.calls, key=lambda call: call.start, default=None)
    return last.retry if step.state == "running" and last is not None and last.state == "failed" else None


def stopped_before(record: Record, titles: Mapping[str, str]) -> str:
    """What a paused run waits for, with what nodes are called on screen; raw text."""
    names = dict.fromkeys(titles.get(node, node) for node in record.next)
    at_once = f" ({len(record.next)} at once)" if len(record.next) > 1 else ""
    if record.lacking:
        return f"Waits at {' and '.join(f'“{name}”' for name in names)}: the recording does not cover it"
    return f"Stopped before {' and '.join(f'“{name}”' for name in names)}{at_once}"


def done_line(record: Record) -> str:
    """How long a finished run took, and which model it asked, if it asked one; raw text.

    Of a fork, what it did itself: seconds and calls before the change are its parent's.
    """
    totals, started = record.totals, record.started
    own = [call for call in record.calls if not call.inherited]
    model = f"with {models_named(started, own)}" if totals.calls and started else "without a model call"
    if totals.played:
        model = "at the pace of the recording"
    if record.fork is None:
        return f"Done in {totals.seconds:.2f} s {model}"
    return (
        f"Done in {totals.seconds:.2f} s from the change on, {model}; "
        f"what took {record.fork.at:.2f} s before it was taken over"
    )


def status_line(record: Record, titles: Mapping[str, str], attempts: int) -> str:
    """What is under way, with what nodes are called on screen and the tries per model call in all; raw text."""
    running = [step for step in record.steps if step.state == "running"]
    for step in running:
        if retry := waiting(step):
            what = f"waiting {retry.wait:.0f} s: {retry.reason}, try {retry.attempt} of {attempts}"
            return f"{titles.get(step.node, step.node)}: {what}"
    if not running:
        return "Getting ready" if not record.steps else "Going on"
    names = dict.fromkeys(titles.get(step.node, step.node) for step in running)
    several = f" ({len(running)} at once)" if len(running) > 1 else ""
    waits = work_under_way(record.started.corpus) if record.started else ""
    took = record.seconds - min(step.start for step in running)
    clock = f", {took:.0f} s" if took >= 1 else ""
    return f"{', '.join(names)}{several}{f': {waits}' if waits else ''}{clock}"
