"""Forks: change what a step made and run on from there, as a run of its own.

The new run has its own thread of checkpoints. It begins with the state that the parent had after the step, edited, and
LangGraph is told which nodes have run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import InputError
from core.runs.beginnings import EditedState, thread_of
from core.runs.record import Record, Step, record
from core.trace.artefacts import AnyArtefact, Artefact, Grade
from core.trace.events import Event, RunForked, RunStarted, StepStarted

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.types import StateSnapshot

    from core.runs.beginnings import Graph


EventsOf = Callable[[str], Sequence[Event]]
"""Reads the events of a stored run; blocks."""
_GONE = (
    "The state after this step is not stored: the run came with the app or from a file, or is too old. Ask the same "
    "question again, and edit that run."
)


def place_of(past: Record, step: str, artefact: AnyArtefact) -> tuple[Step, int]:
    """Find where an edited artefact belongs: its step, and its place among what the step made.

    Raises:
        InputError: There is no such step, it made nothing of the kind, or what it made cannot be edited.
    """
    execution = next((candidate for candidate in past.steps if candidate.id == step), None)
    if execution is None:
        raise InputError(f"The run has no step '{step[:60]}'. `runs show RUN --json` names the steps.")
    if execution.state != "finished":
        raise InputError("This step has not finished, so nothing can go on from it. Choose an earlier one.")
    if artefact.channel is None:
        raise InputError(f"What a step made of the kind '{artefact.kind}' is not an input of a later step.")
    for place, original in enumerate(execution.artefacts):
        if _of_what(original) == _of_what(artefact):
            return execution, place
    raise InputError(f"This step made nothing of the kind '{artefact.kind}'.")


def _of_what(artefact: AnyArtefact) -> tuple[object, ...]:
    """The parts by which an artefact differs from others of its step; they stay as they are when it is edited."""
    if isinstance(artefact, Grade):
        return artefact.kind, artefact.what, artefact.passage.chunk if artefact.passage else ""
    return artefact.kind, getattr(artefact, "index", 0)


def inherited(past: Sequence[Event], run: Record, step: Step) -> list[Event]:
    """The parent's events that a fork after `step` begins with, without its `run_started`."""
    steps = {item.id for item in run.steps if item.layer <= step.layer}
    events: list[Event] = []
    for event in past:
        if event.step not in steps:
            continue
        if isinstance(event, StepStarted):  # one that begins anew after a pause voids what it had done
            events = [earlier for earlier in events if earlier.step != event.step]
        events.append(event)
    return events


async def edited_state(
    graph: Graph, past: Sequence[Event], step: Step, forked: RunForked, events_of: EventsOf
) -> EditedState:
    """The state after a step, the last one that the fork keeps, with what was edited before and now.

    Raises:
        InputError: The state is not stored any more, or does not hold what was to be edited.
    """
    before = record(past)
    values, passed = await _state_of_ancestor(graph, forked.parent, step.id, events_of)
    for original, change in _edits_within(past, inherited(past, before, step)):
        if change.parent in passed:  # else the state knows of it
            _edit(values, original, change.artefact)
    _edit(values, step.artefacts[forked.place], forked.artefact)
    return EditedState(values, _layers_until(before, step))


async def _state_of_ancestor(
    graph: Graph, run: str, step: str, events_of: EventsOf
) -> tuple[dict[str, Any], set[str]]:
    """The state after a step, from the run that executed it, and the ancestors that led to that run."""
    passed: set[str] = set()
    while True:
        values = await _state_after(graph, thread_of(run), step)
        if values is not None:
            return values, passed
        parent = started_of(await asyncio.to_thread(events_of, run)).parent
        if parent is None:
            raise InputError(_GONE)
        run = parent
        passed.add(run)


async def _state_after(graph: Graph, thread: RunnableConfig, step: str) -> dict[str, Any] | None:
    """The state after the superstep of a step; None: the step did not run in this thread.

    Raises:
        InputError: The checkpoint is gone.
    """
    after: StateSnapshot | None = None
    async for snapshot in graph.aget_state_history(thread):  # the newest first
        if any(task.id == step for task in snapshot.tasks):
            if after is None or after.parent_config is None:
                raise InputError(_GONE)
            return dict(after.values)
        after = snapshot
    return None


def _edit(values: dict[str, Any], before: Artefact, after: Artefact) -> None:
    """Put an edited artefact into a state, in place.

    Raises:
        InputError: The state does not hold what was to be edited.
    """
    channel = after.channel or ""
    current = values.get(channel)
    if isinstance(current, list):
        index = next((i for i, (_, item) in enumerate(current) if item == before), None)
        if index is not None:
            values[channel] = [*current[:index], (current[index][0], after), *current[index + 1 :]]
            return
    elif current is not None:
        values[channel] = after
        return
    raise InputError("No later step of this strategy reads what was edited, so nothing would change.")


def _layers_until(run: Record, step: Step) -> list[list[str]]:
    """The nodes of each superstep up to that of `step`, in order."""
    last = max(0, step.layer)
    return [[item.node for item in run.steps if item.layer == layer] for layer in range(last + 1)]


def _edits_within(past: Sequence[Event], events: Sequence[Event]) -> list[tuple[AnyArtefact, RunForked]]:
    """Edits that an inherited part carries already, oldest first, each with what it replaced."""
    steps = {event.step for event in events}
    edits: list[tuple[AnyArtefact, RunForked]] = []
    for number, event in enumerate(past):
        if isinstance(event, RunForked) and event.step in steps:
            before = next(step for step in record(past[:number]).steps if step.id == event.step)
            edits.append((before.artefacts[event.place], event))
    return edits


def started_of(past: Sequence[Event]) -> RunStarted:
    """The first event of a stored run.

    Raises:
        InputError: It is lost.
    """
    first = past[0]
    if not isinstance(first, RunStarted):
        raise InputError("The beginning of this run is lost, so nothing can go on from it. Ask again.")
    return first
