"""Running a strategy's graph and turning what happens into events."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from core.errors import CallLimitReached, LoupeError
from core.runs.forks import begin
from core.strategies.base import P, RunContext, Strategy
from core.trace.events import (
    BaseEvent,
    Event,
    RunFailed,
    RunFinished,
    RunForked,
    RunResumed,
    RunStarted,
    RunStopped,
    StepFailed,
    StepFinished,
    StepStarted,
)

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import StateSnapshot

log = logging.getLogger(__name__)

ANSWER_NODE = "answer"
"""The node that every strategy ends with."""
UNEXPECTED = (
    "Something went wrong inside the app while running this step. What was done so far is kept; ask again, "
    "and if it happens again, look into logs/rag-loupe.log in the home folder."
)


class StepTracer:
    """Hands events from inside a node to LangGraph's stream, stamped with time and step, so that they keep
    their order among the graph's own messages."""

    def __init__(self, origin: float) -> None:
        self._origin = origin

    def begin(self, at: float = 0.0) -> float:
        """The run begins now, or goes on after so many seconds; the origin of its times."""
        self._origin = time.monotonic() - at
        return self._origin

    def emit(self, event: BaseEvent) -> None:
        from langgraph.config import get_config, get_stream_writer

        step = get_config()["metadata"]["langgraph_checkpoint_ns"].rpartition(":")[2]
        at = time.monotonic() - self._origin
        get_stream_writer()(event.model_copy(update={"step": step, "at": at}))


@dataclass
class _Numbering:
    """Gives events their place: no gap in the numbers, and time never runs backwards."""

    origin: float
    seq: int = 0
    last: float = 0.0

    def place(self, event: Any) -> Any:
        at = event.at or time.monotonic() - self.origin
        self.last = max(self.last, at)
        placed = event.model_copy(update={"seq": self.seq, "at": self.last})
        self.seq += 1
        return placed


@dataclass
class _Layers:
    """Which steps run at once and which step each one waited for, from the order of starts and ends."""

    layer: int = -1
    running: dict[str, str] = field(default_factory=dict)
    last_finished: str | None = None
    parent: str | None = None
    """Last step to finish before the current layer began."""

    @classmethod
    def after(cls, past: Sequence[Event]) -> _Layers:
        """As they stood when a run was cut off: its last layer goes on, if one of its steps has finished."""
        layers = cls()
        for event in past:
            if isinstance(event, StepStarted):
                layers.start(event.step, event.node)
            elif isinstance(event, StepFinished | StepFailed):
                layers.finish(event.step)
        layers.running.clear()
        return layers

    def start(self, step: str, node: str) -> None:
        if not self.running:
            self.layer += 1
            self.parent = self.last_finished
        self.running[step] = node

    def finish(self, step: str) -> None:
        self.running.pop(step, None)
        self.last_finished = step


@lru_cache(maxsize=64)
def compiled(
    strategy: Strategy[P],
    params: P,
    checkpoints: BaseCheckpointSaver[str] | None,
    retrieval_only: bool = False,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A strategy's graph, ready to run; it holds nothing of a run, so many may share it."""
    before = [ANSWER_NODE] if retrieval_only else None
    return strategy.build(params).compile(checkpointer=checkpoints, interrupt_before=before)


def sentence(error: BaseException) -> str:
    """What a user is told about an error; only our own errors speak for themselves."""
    return str(error) if isinstance(error, LoupeError) else UNEXPECTED


async def execute(
    strategy: Strategy[Any],
    context: RunContext[Any],
    started: RunStarted,
    checkpoints: BaseCheckpointSaver[str] | None,
    origin: float,
) -> AsyncIterator[Event]:
    """Run a graph from its beginning and yield its events, the first being `started`.

    The last event tells how it ended; no expected error leaves this function. Cancelling the task that reads
    it ends the run with `run_stopped`.

    Args:
        strategy: What to run.
        context: What its nodes work with; its tracer must be a `StepTracer` with the same origin.
        started: First event; `started.run` is also the thread of the checkpoints.
        checkpoints: Where the state after each step is kept; None: nowhere, for a run that asks no model.
        origin: `time.monotonic()` at the start of the run.
    """
    numbering = _Numbering(origin)
    yield numbering.place(started)
    graph = compiled(strategy, context.params, checkpoints, started.retrieval_only)
    begun = {"question": started.question}
    steps = _steps(graph, begun, thread_of(started.run), strategy, context, _Layers())
    async with aclosing(_to_the_end(steps, numbering, started.run)) as events:
        async for event in events:
            yield event


async def resume(
    strategy: Strategy[Any],
    context: RunContext[Any],
    run: str,
    past: Sequence[Event],
    resumed: RunResumed,
    checkpoints: BaseCheckpointSaver[str],
    origin: float,
) -> AsyncIterator[Event]:
    """Go on with a run after its last whole step and yield the events from there, the first being `resumed`.

    Args:
        strategy: What was run.
        context: What its nodes work with, as in `execute`.
        run: Its id.
        past: All its events so far.
        resumed: First event.
        checkpoints: Where the state after each step was kept.
        origin: `time.monotonic()` when the run would have begun had there been no pause.
    """
    numbering = _Numbering(origin, seq=len(past), last=past[-1].at)
    yield numbering.place(resumed)
    started = next(event for event in past if isinstance(event, RunStarted))
    graph = compiled(strategy, context.params, checkpoints, started.retrieval_only)
    snapshot = await _resume_point(graph, run, past)
    if snapshot is None:
        begun = {"question": started.question}
        steps = _steps(graph, begun, thread_of(run), strategy, context, _Layers())
    elif started.retrieval_only and snapshot.next == (ANSWER_NODE,):
        yield numbering.place(RunFinished())  # LangGraph takes going on for leave to answer
        return
    else:
        steps = _steps(graph, None, snapshot.config, strategy, context, _Layers.after(past))
    async with aclosing(_to_the_end(steps, numbering, run)) as events:
        async for event in events:
            yield event


async def fork(
    strategy: Strategy[Any],
    context: RunContext[Any],
    prefix: Sequence[Event],
    forked: RunForked,
    values: dict[str, Any],
    layers: Sequence[Sequence[str]],
    checkpoints: BaseCheckpointSaver[str],
    origin: float,
) -> AsyncIterator[Event]:
    """Run on from an edited state and yield all events of the new run, the first being its `run_started`.

    Args:
        strategy: What was run.
        context: What its nodes work with, as in `execute`.
        prefix: The new run's `run_started` and the parent's events that it begins with.
        forked: The edit.
        values: The state after the step, edited.
        layers: Nodes of each superstep so far, see `core.runs.forks.begin`.
        checkpoints: Where the state after each step is kept.
        origin: `time.monotonic()` when the parent would have begun had there been no pause.
    """
    for number, event in enumerate(prefix):
        yield event.model_copy(update={"seq": number})  # at the parent's times
    numbering = _Numbering(origin, seq=len(prefix), last=prefix[-1].at)
    yield numbering.place(forked)
    run = next(event.run for event in prefix if isinstance(event, RunStarted))
    graph = compiled(strategy, context.params, checkpoints)
    config = await begin(graph, thread_of(run), values, layers)
    steps = _steps(graph, None, config, strategy, context, _Layers.after(prefix))
    async with aclosing(_to_the_end(steps, numbering, run)) as events:
        async for event in events:
            yield event


def thread_of(run: str) -> RunnableConfig:
    """A run's checkpoints are LangGraph's thread of the same id."""
    return {"configurable": {"thread_id": run}}


async def _resume_point(
    graph: CompiledStateGraph[Any, Any, Any, Any], run: str, past: Sequence[Event]
) -> StateSnapshot | None:
    """The last checkpoint before which every step has also its events; None: there is no checkpoint yet.

    Checkpoints and events are written side by side, so a kill may leave one without the other.
    """
    finished = {event.step for event in past if isinstance(event, StepFinished)}
    point = None
    for snapshot in reversed([snapshot async for snapshot in graph.aget_state_history(thread_of(run))]):
        if point is None or all(task.id in finished for task in point.tasks if task.name != "__start__"):
            point = snapshot
        else:
            break
    return point


async def _to_the_end(
    steps: AsyncGenerator[BaseEvent, None], numbering: _Numbering, run: str
) -> AsyncGenerator[Event, None]:
    """Number a run's events and end it with the event that tells how it went."""
    ending: BaseEvent = RunFinished()
    try:
        async with aclosing(steps) as events:
            async for event in events:
                yield numbering.place(event)
    except asyncio.CancelledError:
        ending = RunStopped(reason="Stopped by the user. What was done so far is kept.")
    except CallLimitReached as error:
        ending = RunStopped(reason=str(error))
    except Exception as error:
        if not isinstance(error, LoupeError):
            log.exception("Run %s failed", run)
        ending = RunFailed(error=sentence(error))
    yield numbering.place(ending)


async def _steps(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    state: dict[str, Any] | None,
    config: RunnableConfig,
    strategy: Strategy[Any],
    context: RunContext[Any],
    layers: _Layers,
) -> AsyncGenerator[BaseEvent, None]:
    """What happens in a graph from a state, or with None from a checkpoint, on.

    At the cap on calls, a strategy that can still end with an answer goes there.
    """
    try:
        async with aclosing(_streamed(graph, state, config, context, layers)) as events:
            async for event in events:
                yield event
    except CallLimitReached as error:
        thread = thread_of(config["configurable"]["thread_id"])
        values = (await graph.aget_state(thread)).values
        if strategy.at_cap is None or "capped" in values or not strategy.at_cap[1](values):
            raise
        config = await graph.aupdate_state(thread, {"capped": str(error)}, as_node=strategy.at_cap[0])
        async with aclosing(_streamed(graph, None, config, context, layers)) as events:
            async for event in events:
                yield event


async def _streamed(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    state: dict[str, Any] | None,
    config: RunnableConfig,
    context: RunContext[Any],
    layers: _Layers,
) -> AsyncGenerator[BaseEvent, None]:
    """LangGraph's stream, as events."""
    stream = graph.astream(state, config, context=context, stream_mode=["tasks", "custom"])
    async with aclosing(cast("AsyncGenerator[tuple[str, Any]]", stream)) as chunks:
        async for mode, payload in chunks:
            if mode == "custom":
                yield payload
            elif "input" in payload:
                layers.start(payload["id"], payload["name"])
                branch = payload["input"]
                label = branch.get("label", "") if isinstance(branch, dict) else ""
                yield StepStarted(
                    step=payload["id"],
                    node=payload["name"],
                    parent=layers.parent,
                    layer=layers.layer,
                    label=str(label),
                )
            else:
                layers.finish(payload["id"])
                error = payload.get("error")
                if error is None:
                    yield StepFinished(step=payload["id"])
                else:
                    yield StepFailed(step=payload["id"], error=sentence(error))
