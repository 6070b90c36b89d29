"""Beginning runs: one is started, goes on, or leaves another; each runs in the background and is stored."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InputError, LoupeError
from core.jobs import exit_stack_for
from core.models.chat_models import CONFIGURED, ChatModel
from core.runs.beginnings import Beginning
from core.runs.budget import with_baseline
from core.runs.engine import StepTracer, compiled, execute, sentence
from core.runs.forks import edited_state, inherited, place_of, started_of
from core.runs.preparing import RunPlan, load_rest, prepare
from core.runs.record import record
from core.runs.request import EVALUATION, RunRequest, check
from core.runs.run_job import RunJob
from core.settings import DATABASE
from core.strategies.base import AnyStrategy, RunContext
from core.trace.artefacts import AnyArtefact
from core.trace.events import (
    Event,
    ModelStarted,
    RunFailed,
    RunFinished,
    RunForked,
    RunResumed,
    RunStarted,
    RunStopped,
    now,
)

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from core.runs.beginnings import Graph
    from core.runs.sources.sources import Sources
    from core.runs.store import RunStore

    Begins = Callable[[RunStarted, Graph], Awaitable[Beginning]]
    """Where a run begins, once its backends are reached and its graph is there."""

log = logging.getLogger(__name__)

STORED_SECONDS = 5.0
"""How long an ended run may take to be stored before another one goes on from it."""
KEPT_JOBS = 50
"""Ended runs that stay in memory; older ones are read from the store."""


class RunLauncher:
    """The runs that one process began; thread-safe."""

    def __init__(self, sources: Sources) -> None:
        self.sources, self.settings = sources, sources.settings
        self._jobs: dict[str, RunJob] = {}
        self._lock = threading.Lock()
        self._checkpoints: BaseCheckpointSaver[str] | None = None
        self._closing = exit_stack_for(self)
        self._opening = asyncio.Lock()

    def check(self, request: RunRequest) -> tuple[AnyStrategy, Any]:
        """The strategy and its parameters, if the request can be run; see `core.runs.request.check`."""
        sources = self.sources
        return check(
            request, self.settings, lambda: sources.corpora.catalogue, lambda: sources.graphs.graphs.catalogue
        )

    async def prepare(self, request: RunRequest) -> tuple[RunStarted, RunContext[Any]]:
        """The first event of a run of this request, and its nodes' context: for many questions that are asked alike.

        Raises:
            InputError: The request cannot be run.
            ModelError, ServiceError, StoreError: A backend that it needs does not start.
        """
        plan = await asyncio.to_thread(self._plan, request)
        return await prepare(plan, StepTracer(time.monotonic()), self.sources)

    def job(self, run: str) -> RunJob | None:
        """A run of this process, under way or ended."""
        return self._jobs.get(run)

    def running(self, owner: str | None = None) -> int:
        """Count the runs of an owner (None: of all) that are under way in this process."""
        with self._lock:
            return sum(not job.done and owner in (None, job.owner) for job in self._jobs.values())

    async def delete(self, run: str) -> None:
        """Delete a run, with the states after its steps; one that is under way in this process is stopped.

        Raises:
            StoreError: The database cannot be written. It can be tried again.
        """
        from core.corpora.writing import to_its_end, uninterrupted  # a first run waits for none of it

        job = self._jobs.get(run)
        if job is not None:
            await asyncio.to_thread(job.stop, STORED_SECONDS)
        # The row last: after a kill, the run can be found and deleted again.
        await to_its_end((await self._open_checkpoints()).adelete_thread(run))
        await uninterrupted(self.sources.store.delete, run)
        with self._lock:
            self._jobs.pop(run, None)

    def start(self, request: RunRequest, run: str = "") -> RunJob:
        """Begin a run in the background, with this id; empty: one that is drawn.

        Raises:
            InputError: The request cannot be run.
        """

        async def with_the_question(prepared: RunStarted, _: Graph) -> Beginning:
            return Beginning(prepared, prepared)

        return self._begin(self._plan(request, run), with_the_question)

    def resume(
        self,
        run: str,
        owner: str,
        chat: ChatModel = CONFIGURED,
        account: str = "",
        stop_before: str | None = None,
        *,
        teacher: bool = False,
    ) -> RunJob:
        """Go on, in the background, with a run that was interrupted, paused, stopped or failed; blocks for a moment.

        Args:
            chat: Which chat model answers from now on; see `RunRequest.of`.
            account, teacher: See `RunRequest`.
            stop_before: As of `RunStarted`, after the step that comes next; None: as it was.

        Raises:
            InputError: It is not the owner's, it is under way or finished, or can no longer be run here.
            UnknownRun: There is no such run.
        """
        self._let_store(run)
        entry = self.sources.store.entry(run)
        if entry.owner != owner:
            raise InputError("Only the browser that asked this run can continue it. Ask it again instead.")
        past = self.sources.store.events(run)
        started = started_of(past)
        stops = record(past).stop_before if stop_before is None else stop_before
        request = RunRequest.of(started, owner=owner, chat=chat, account=account, teacher=teacher)
        request = replace(request, stop_before=stops)
        if chat.is_builtin(self.settings) and not started.builtin:
            # A bigger model's methods are beyond it: it takes its own.
            request = replace(request, methods={})
        plan = RunPlan(started, *self.check(request), request)
        if not self.sources.store.take_over(run):
            raise InputError("This run is under way or finished, so there is nothing to continue.")

        async def where_it_was_cut_off(prepared: RunStarted, _: Graph) -> Beginning:
            fields = {
                name: getattr(prepared, name) for name in ("chat_model", "builtin", "recording", "missing")
            }
            resumed = RunResumed.model_validate(fields | {"stop_before": stops})
            return Beginning(started, resumed, past)

        return self._begin(plan, where_it_was_cut_off, past)

    def fork(
        self,
        run: str,
        step: str,
        artefact: AnyArtefact,
        owner: str,
        chat: ChatModel = CONFIGURED,
        *,
        teacher: bool = False,
    ) -> RunJob:
        """Run on, in the background and as a run of its own, with what the step with this id made replaced; blocks for
        a moment. As to the chat model, see `RunRequest.of`; as to `teacher`, `RunRequest`.

        Raises:
            InputError: There is nothing to edit, or the run cannot go on from there.
            UnknownRun: There is no such run.
        """
        self._let_store(run)
        past = self.sources.store.events(run)
        parent, before = started_of(past), record(past)
        origin, place = place_of(before, step, artefact)
        request = RunRequest.of(parent, owner=owner, chat=chat, teacher=teacher)
        changes = {
            "run": secrets.token_hex(8),
            "parent": run,
            "created": now(),
            "seq": 0,
            "at": 0.0,
            "retrieval_only": False,  # who edits wants to see what comes of it
            # An edit at a stop goes on as the run would have: with its next step, to the stop after that.
            "stop_before": before.stop_before if before.state == "paused" else "",
        }
        forked = RunForked(step=step, parent=run, place=place, artefact=artefact)

        async def after_the_step(prepared: RunStarted, graph: Graph) -> Beginning:
            events = [prepared, *inherited(past, before, origin)]
            numbered = [event.model_copy(update={"seq": number}) for number, event in enumerate(events)]
            edited = await edited_state(graph, past, origin, forked, self.sources.store.events)
            return Beginning(prepared, forked, numbered, edited)

        plan = RunPlan(parent.model_copy(update=changes), *self.check(request), request)
        return self._begin(plan, after_the_step)

    def _let_store(self, run: str) -> None:
        """Wait for the last events of a run that has ended here: what goes on from it begins with what is stored."""
        job = self._jobs.get(run)
        if job is not None and job.done:
            job.wait(STORED_SECONDS)

    def _plan(self, request: RunRequest, run: str = "") -> RunPlan:
        strategy, params = self.check(request)
        own = strategy.retriever or request.retriever
        request = replace(request, question=request.question.strip(), retriever=own)
        return RunPlan(
            request.first_event(strategy, params, run or secrets.token_hex(8)), strategy, params, request
        )

    def _begin(self, plan: RunPlan, begins: Begins, stored: Sequence[Event] = ()) -> RunJob:
        """Run a plan in the background; `stored` are its events so far, where it goes on."""
        run, store = plan.started.run, self._store()
        with self._lock:
            job = RunJob(run, self._events(plan, begins, stored), store, plan.request.owner, stored)
            self._jobs[run] = job
            ended = [name for name, other in self._jobs.items() if other.stored]
            for name in ended[:-KEPT_JOBS]:
                del self._jobs[name]  # the store has it
        return job

    def _store(self) -> Callable[[], RunStore]:
        """Opens the store. A server has to answer before anything is paid for; a file that can be read has time."""
        url = self.settings.database_url.get_secret_value()
        if url or not _readable(self.settings.rag_loupe_home / DATABASE):
            store = self.sources.store
            return lambda: store
        return lambda: self.sources.store

    async def _events(self, plan: RunPlan, begins: Begins, stored: Sequence[Event]) -> AsyncIterator[Event]:
        """The events of a run, from where it begins to its end."""
        tracer = StepTracer(time.monotonic())
        try:
            prepared, context = await prepare(plan, tracer, self.sources, later=True)
            checkpoints = await self._open_checkpoints()
            beginning = await begins(prepared, compiled(plan.strategy, plan.params, checkpoints))
            context.skills.chat.goes_on(beginning.past)
            with self._lock:  # the job may be begun at this very moment
                self._jobs[plan.started.run].budget = context.skills.chat.budget
        except (Exception, asyncio.CancelledError) as error:
            if not stored:
                yield plan.started
            yield _no_start(error, plan.started.run, stored or [plan.started])
            return
        # Backends that were started and models that were loaded for it are not its time, but for what is loaded
        # while a model answers.
        origin, loading = tracer.begin(beginning.at), None
        events = execute(plan.strategy, context, beginning, checkpoints, origin)
        if plan.request.owner != EVALUATION:  # which keeps by itself what all its runs are compared with
            events = with_baseline(events, prepared, context.corpus, self.sources, stored)
        seen = list(stored)
        async for event in events:
            seen.append(event)
            if isinstance(event, RunFinished):
                await asyncio.to_thread(context.skills.chat.note, seen)
            if loading is None and plan.strategy.asks_first and isinstance(event, ModelStarted):
                loading = asyncio.create_task(load_rest(plan, context, self.sources))
            yield event

    async def _open_checkpoints(self) -> BaseCheckpointSaver[str]:
        """The checkpointer, opened with the first run and kept for all."""
        from core.runs.checkpoints.opening import open_checkpoints

        async with self._opening:
            if self._checkpoints is None:
                manager = open_checkpoints(self.settings.rag_loupe_home, self.settings.database)
                self._checkpoints = await self._closing.enter_async_context(manager)
            return self._checkpoints


def _readable(file: Path) -> bool:
    """True if SQLite can read a file, or may make it."""
    if not file.exists():
        return True  # whether the folder can be written, the checkpoints show
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.Error:
        return False
    return True


def _no_start(error: BaseException, run: str, past: Sequence[Event]) -> Event:
    """Return the last event of a run that could not begin, or not go on."""
    seq, at = len(past), past[-1].at
    if isinstance(error, asyncio.CancelledError):
        return RunStopped(seq=seq, at=at, reason="Stopped before the first step.")
    if not isinstance(error, LoupeError):
        log.exception("Run %s could not start", run, exc_info=error)
    return RunFailed(seq=seq, at=at, error=sentence(error))
