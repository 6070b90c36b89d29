"""Where a run begins: with its question, where it was cut off, or with the edited state of another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.runs.checkpoints.opening import thread_of
from core.runs.event_order import Layers
from core.runs.forks import EditedState, begin
from core.trace.events import BaseEvent, Event, RunStarted, StepFinished

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.types import StateSnapshot

    from core.runs.forks import Graph

ANSWER_NODE = "answer"
"""The node that every strategy ends with."""


@dataclass(frozen=True)
class Point:
    """Where a graph goes on from."""

    state: dict[str, Any] | None
    """None: that of the checkpoint."""
    config: RunnableConfig
    """Names the checkpoint, or a thread that has none yet."""
    layers: Layers


@dataclass(frozen=True)
class Beginning:
    """What a run has when its next step begins."""

    started: RunStarted
    first: BaseEvent
    """The first new event: `started`, or one that says that the run goes on, or what was edited."""
    past: Sequence[Event] = ()
    """The events before it."""
    edited: EditedState | None = None
    """Of a fork: what its first new step begins with."""

    @property
    def at(self) -> float:
        """Seconds of the run that have passed."""
        return max((event.at for event in self.past), default=0.0)

    @property
    def inherited(self) -> Sequence[Event]:
        """The events of its parent that a fork begins with; those of a run that goes on are stored already."""
        return self.past if self.edited else ()

    async def point(self, graph: Graph) -> Point | None:
        """Where the graph goes on from; None: nothing is left to be done."""
        thread = thread_of(self.started.run)
        if self.edited:
            config = await begin(graph, thread, self.edited)
            return Point(None, config, Layers.after(self.past))
        snapshot = await _last_whole_step(graph, thread, self.past) if self.past else None
        if snapshot is None:
            return Point({"question": self.started.question}, thread, Layers())
        if self.started.retrieval_only and snapshot.next == (ANSWER_NODE,):
            return None  # LangGraph takes going on for leave to answer
        return Point(None, snapshot.config, Layers.after(self.past))


async def _last_whole_step(
    graph: Graph, thread: RunnableConfig, past: Sequence[Event]
) -> StateSnapshot | None:
    """The last checkpoint before which every step has also its events; None: there is no checkpoint yet.

    Checkpoints and events are written side by side, so a kill may leave one without the other.
    """
    finished = {event.step for event in past if isinstance(event, StepFinished)}
    point = None
    for snapshot in reversed([snapshot async for snapshot in graph.aget_state_history(thread)]):
        if point is None or all(task.id in finished for task in point.tasks if task.name != "__start__"):
            point = snapshot
        else:
            break
    return point
