"""Where a run begins: with its question, where it was cut off, or with the edited state of another run; and which of
its steps run at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import InputError
from core.trace.events import (
    BaseEvent,
    Event,
    Missing,
    RunResumed,
    RunStarted,
    StepFailed,
    StepFinished,
    StepStarted,
)

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import StateSnapshot

    Graph = CompiledStateGraph[Any, Any, Any, Any]
    """A strategy's, whatever its state."""


ANSWER_NODE = "answer"
"""The node that every strategy ends with."""
ELSEWHERE = "The state after its last step is not stored here, so it cannot go on: it may come from a file. Ask again."


def thread_of(run: str) -> RunnableConfig:
    """A run's checkpoints are LangGraph's thread of the same id."""
    return {"configurable": {"thread_id": run}}


@dataclass(frozen=True)
class EditedState:
    """The state that a fork goes on from."""

    values: dict[str, Any]
    layers: Sequence[Sequence[str]]
    """Nodes of each superstep so far, in order."""


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
    """The events and the state of a run when its next step begins."""

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
    def stop_before(self) -> str:
        """Before what the run stops from here on; as of `RunStarted`."""
        return self.first.stop_before if isinstance(self.first, RunResumed) else self.started.stop_before

    @property
    def missing(self) -> Missing:
        """The model that gives what a recording lacks, from here on; as of `RunStarted`."""
        return self.first.missing if isinstance(self.first, RunResumed) else self.started.missing

    @property
    def inherited(self) -> Sequence[Event]:
        """The events of its parent that a fork begins with; those of a run that goes on are stored already."""
        return self.past if self.edited else ()

    async def point(self, graph: Graph) -> Point | None:
        """Find where the graph goes on from; None: nothing is left to be done.

        Raises:
            InputError: Its state is not here.
        """
        thread = thread_of(self.started.run)
        if self.edited:
            config = await _begin_fork(graph, thread, self.edited)
            return Point(None, config, Layers.after(self.past))
        snapshot = await _last_whole_step(graph, thread, self.past) if self.past else None
        if snapshot is None:
            if any(isinstance(event, StepFinished) for event in self.past):
                raise InputError(ELSEWHERE)
            return Point({"question": self.started.question}, thread, Layers())
        if self.started.retrieval_only and snapshot.next == (ANSWER_NODE,):
            return None  # LangGraph takes going on for leave to answer
        return Point(None, snapshot.config, Layers.after(self.past))


async def _begin_fork(graph: Graph, thread: RunnableConfig, edited: EditedState) -> RunnableConfig:
    """Make the checkpoint from which a fork runs on, in the thread of the new run."""
    from langgraph.types import StateUpdate

    # A node that waits for several others has to be told of each; elsewhere the last superstep alone leads on, and
    # no edge from an earlier one is chosen by the state of a later one.
    layers = edited.layers if graph.builder.waiting_edges else edited.layers[-1:]
    steps = [[StateUpdate({}, node) for node in dict.fromkeys(nodes)] for nodes in layers]
    steps[0][0] = StateUpdate(edited.values, steps[0][0].as_node)
    config: RunnableConfig = await graph.abulk_update_state(thread, steps)
    return config


async def _last_whole_step(
    graph: Graph, thread: RunnableConfig, past: Sequence[Event]
) -> StateSnapshot | None:
    """The newest checkpoint before which every step has also its events; None: there is no checkpoint yet.

    Checkpoints and events are written side by side, so a kill may leave one without the other.
    """
    finished = {event.step for event in past if isinstance(event, StepFinished)}
    point: StateSnapshot | None = None
    whole: dict[str, StateSnapshot] = {}
    for snapshot in reversed([snapshot async for snapshot in graph.aget_state_history(thread)]):
        parent = _id(snapshot.parent_config)
        # Going on from a checkpoint begins with a copy of it, and an edit with another one: nothing ran in between.
        copied = (snapshot.metadata or {}).get("source") in ("fork", "update")
        before = whole.get(parent)
        tasks = [task.id for task in before.tasks if task.name != "__start__"] if before else []
        if not parent or (before and (copied or finished.issuperset(tasks))):
            point = whole[_id(snapshot.config)] = snapshot
    return point


def _id(config: RunnableConfig | None) -> str:
    return str(config["configurable"]["checkpoint_id"]) if config else ""


@dataclass
class Layers:
    """The steps that run at once, and the step that each one waited for, from the order of starts and ends."""

    layer: int = -1
    running: set[str] = field(default_factory=set)
    last_finished: str | None = None
    parent: str | None = None
    """Last step to finish before the current layer began."""

    @classmethod
    def after(cls, past: Sequence[Event]) -> Layers:
        """As they stood when a run was cut off: its last layer goes on, if one of its steps has finished."""
        layers = cls()
        for event in past:
            if isinstance(event, StepStarted):
                layers.start(event.step)
            elif isinstance(event, StepFinished | StepFailed):
                layers.finish(event.step)
        layers.running.clear()
        return layers

    def start(self, step: str) -> None:
        """Note that a step has begun; it begins a layer where no other runs."""
        if not self.running:
            self.layer += 1
            self.parent = self.last_finished
        self.running.add(step)

    def finish(self, step: str) -> None:
        """Note that a step has ended."""
        self.running.discard(step)
        self.last_finished = step
