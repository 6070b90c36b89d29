"""Running a strategy's graph and turning what happens into events."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from core.errors import CallLimitReached, InputError, LoupeError, NotKept
from core.runs.beginnings import ANSWER_NODE, Beginning, Point, thread_of
from core.strategies.base import AnyStrategy, P, RunContext, Strategy
from core.trace.events import (
    EACH_STEP,
    BaseEvent,
    Event,
    RunFailed,
    RunFinished,
    RunPaused,
    RunStarted,
    RunStopped,
    StepFailed,
    StepFinished,
    StepStarted,
)

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from core.runs.beginnings import Graph

log = logging.getLogger(__name__)

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
        """The run begins now, or goes on `at` seconds after its start; the origin of its times."""
        self._origin = time.monotonic() - at
        return self._origin

    def emit(self, event: BaseEvent) -> None:
        from langgraph.config import get_config, get_stream_writer

        step = get_config()["metadata"]["langgraph_checkpoint_ns"].rpartition(":")[2]
        at = time.monotonic() - self._origin
        get_stream_writer()(event.model_copy(update={"step": step, "at": at}))


@dataclass
class Numbering:
    """Gives events their place: no gap in the numbers, and time never runs backwards."""

    origin: float
    """`time.monotonic()` at the start of the run."""
    seq: int = 0
    last: float = 0.0

    def place(self, event: Any) -> Any:
        """The event with its number and time."""
        at = event.at or time.monotonic() - self.origin
        self.last = max(self.last, at)
        placed = event.model_copy(update={"seq": self.seq, "at": self.last})
        self.seq += 1
        return placed


@lru_cache(maxsize=64)
def compiled(
    strategy: Strategy[P],
    params: P,
    checkpoints: BaseCheckpointSaver[str] | None,
    retrieval_only: bool = False,
    stop_before: str = "",
) -> Graph:
    """A strategy's graph, ready to run; it holds nothing of a run, so several runs may share it."""
    nodes = [*([ANSWER_NODE] if retrieval_only else []), *([stop_before] if stop_before else [])]
    before: Literal["*"] | list[str] = "*" if stop_before == EACH_STEP else nodes
    return strategy.build(params).compile(checkpointer=checkpoints, interrupt_before=before)


def sentence(error: BaseException) -> str:
    """An error as a sentence for the user; only our own errors speak for themselves."""
    return str(error) if isinstance(error, LoupeError) else UNEXPECTED


async def execute(
    strategy: AnyStrategy,
    context: RunContext[Any],
    beginning: Beginning,
    checkpoints: BaseCheckpointSaver[str] | None,
    origin: float,
) -> AsyncIterator[Event]:
    """Run a graph from where it begins, and yield the events from there.

    The last event tells how it ended; no expected error leaves this function. Cancelling the task that reads
    it ends the run with `run_stopped`.

    Args:
        context: What its nodes work with; its tracer must be a `StepTracer` with the same origin.
        checkpoints: Where the state after each step is kept; None: nowhere, for a run that asks no model.
        origin: `time.monotonic()` at the start of the run, or when it would have begun had there been no pause.
    """
    for event in beginning.inherited:
        yield event
    numbering = Numbering(origin, seq=len(beginning.past), last=beginning.at)
    yield numbering.place(beginning.first)
    started = beginning.started
    stops = beginning.stop_before
    graph = compiled(strategy, context.params, checkpoints, started.retrieval_only, stops)
    try:
        point = await beginning.point(graph)
    except InputError as error:
        yield numbering.place(RunFailed(error=str(error)))
        return
    if point is None:
        yield numbering.place(RunFinished())
        return
    waits = beginning.missing == "ask" and checkpoints is not None
    steps = _steps(graph, point, strategy, context, waits=waits)
    if stops and checkpoints is not None:
        steps = _to_a_stop(steps, graph, started)
    async with aclosing(_to_the_end(steps, numbering, started.run, waits=waits)) as events:
        async for event in events:
            yield event


async def _to_the_end(
    steps: AsyncGenerator[BaseEvent, None], numbering: Numbering, run: str, *, waits: bool
) -> AsyncGenerator[Event, None]:
    """Number a run's events and end it with the event that tells how it went; with `waits`, it pauses at a step for
    which a recording has no reply, so that somebody can say who does it."""
    ending: BaseEvent = RunFinished()
    under_way: dict[str, str] = {}
    try:
        async with aclosing(steps) as events:
            async for event in events:
                if isinstance(event, StepStarted):
                    under_way[event.step] = event.node
                elif isinstance(event, StepFinished):
                    under_way.pop(event.step, None)
                yield numbering.place(event)
                if isinstance(event, RunPaused):
                    return
    except asyncio.CancelledError:
        ending = RunStopped(reason="Stopped by the user. What was done so far is kept.")
    except CallLimitReached as error:
        ending = RunStopped(reason=str(error))
    except Exception as error:
        if waits and under_way and isinstance(error, NotKept):
            yield numbering.place(RunPaused(next=tuple(under_way.values())))
            return
        if not isinstance(error, LoupeError):
            log.exception("Run %s failed", run)
        ending = RunFailed(error=sentence(error))
    yield numbering.place(ending)


async def _to_a_stop(
    steps: AsyncGenerator[BaseEvent], graph: Graph, started: RunStarted
) -> AsyncGenerator[BaseEvent]:
    """The steps of a run that stops on its way, and then, unless it is at its end, what comes next.

    LangGraph stops before a superstep, so what would run at the same time is one stop; going on, it does that step
    before it stops again.
    """
    async with aclosing(steps) as events:
        async for event in events:
            yield event
    following = (await graph.aget_state(thread_of(started.run))).next
    if following and not (started.retrieval_only and following == (ANSWER_NODE,)):
        yield RunPaused(next=following)


async def _steps(
    graph: Graph, point: Point, strategy: AnyStrategy, context: RunContext[Any], *, waits: bool
) -> AsyncGenerator[BaseEvent, None]:
    """The events of a graph from a point on; with `waits`, a step for which a recording has no reply has not failed.

    At the cap on calls, a strategy that can still end with an answer goes there.
    """
    try:
        async with aclosing(_streamed(graph, point, context, waits)) as events:
            async for event in events:
                yield event
    except CallLimitReached as error:
        if graph.checkpointer is None:  # nowhere to go on from
            raise
        thread = thread_of(point.config["configurable"]["thread_id"])
        values = (await graph.aget_state(thread)).values
        if strategy.at_cap is None or "capped" in values or not strategy.at_cap[1](values):
            raise
        config = await graph.aupdate_state(thread, {"capped": str(error)}, as_node=strategy.at_cap[0])
        async with aclosing(_streamed(graph, Point(None, config, point.layers), context, waits)) as events:
            async for event in events:
                yield event


async def _streamed(
    graph: Graph, point: Point, context: RunContext[Any], waits: bool
) -> AsyncGenerator[BaseEvent, None]:
    """LangGraph's stream, as events."""
    layers = point.layers
    stream = graph.astream(point.state, point.config, context=context, stream_mode=["tasks", "custom"])
    async with aclosing(cast("AsyncGenerator[tuple[str, Any]]", stream)) as chunks:
        async for mode, payload in chunks:
            if mode == "custom":
                yield payload
            elif "input" in payload:
                layers.start(payload["id"])
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
                elif not (waits and isinstance(error, NotKept)):
                    yield StepFailed(step=payload["id"], error=sentence(error))
