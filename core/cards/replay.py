"""The scenes of a run, which a replay shows for the same time each: the question, its steps, the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.runs.record import Call, Record, Step, record
from core.trace.artefacts import AnyArtefact
from core.trace.events import Event, StepStarted

QUESTION = "The question"
END = "The end"


@dataclass(frozen=True)
class Take:
    """A scene of a replay: steps that ran at the same time, as they have just ended."""

    count: int
    """How many events had happened by then, at least 1."""
    title: str
    """What its steps are called; raw text."""
    steps: tuple[str, ...]
    """Ids; empty: the question, before any of them."""
    took: str
    """How long it took as recorded, and who worked; empty: nothing happened yet."""

    def made(self, run: Record) -> list[AnyArtefact]:
        """What its steps made, in order."""
        return [artefact for step in run.steps if step.id in self.steps for artefact in step.artefacts]


def takes(events: Sequence[Event], titles: Mapping[str, str], run: Record | None = None) -> list[Take]:
    """The scenes of a run, in order: first the question; the last one is its end, or how far it is.

    Steps of one layer are one scene. Calls and tokens are none, and neither is a step that made nothing to be seen:
    it belongs to the next scene. Steps that a run began anew when it was resumed count as they were done in the end.

    Args:
        events: All events so far, at least its start.
        titles: Node -> what it is called on screen.
        run: What the events come to; None: it is worked out here.
    """
    run = run or record(events)
    begun = {event.step: count for count, event in enumerate(events) if isinstance(event, StepStarted)}
    groups = list(_groups(run.steps))
    starts = [min(begun[step.id] for step in group) for group in groups]
    found = [Take(starts[0] if starts else 1, QUESTION, (), "")]
    for group, count in zip(groups, [*starts[1:], len(events)], strict=bool(groups)):
        ids = tuple(step.id for step in group)
        found.append(Take(count, _title(group, titles), ids, _took(group)))
    if not groups and len(events) > 1:
        found.append(Take(len(events), END, (), ""))
    return found


def _groups(steps: Iterable[Step]) -> Iterable[list[Step]]:
    """Steps of one layer each, after those before them that made nothing."""
    waiting: list[Step] = []
    for _, layer in groupby(steps, key=lambda step: step.layer):
        waiting += layer
        if any(step.artefacts for step in waiting):
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _title(group: Sequence[Step], titles: Mapping[str, str]) -> str:
    """Its steps by name, without those that made nothing, unless none did."""
    told = [step for step in group if step.artefacts] or group
    return ", ".join(dict.fromkeys(titles.get(step.node, step.node) for step in told))


def _took(group: Sequence[Step]) -> str:
    if all(step.inherited for step in group):
        return "taken over from the run before the change"
    ends = [step.end if step.end is not None else step.start for step in group]
    seconds = max(ends) - min(step.start for step in group)
    return f"{seconds:.2f} s, {_worked([call for step in group for call in step.calls])}"


def _worked(calls: Sequence[Call]) -> str:
    """Who worked, in words."""
    if not calls:
        return "no model call"
    if all(call.recorded for call in calls):
        return "a recorded reply" if len(calls) == 1 else f"{len(calls)} recorded replies"
    model = "the built-in model" if any(call.builtin for call in calls) else "the model"
    return f"written by {model}" if len(calls) == 1 else f"{len(calls)} calls of {model}"
