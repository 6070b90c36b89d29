"""Everything that one process needs to index and to ask, put together once."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from core.errors import InputError, LoupeError
from core.jobs import Job
from core.models.endpoint import ChatEndpoint, resolve_chat
from core.runs.backends import Backends, import_heavy
from core.runs.budget import rankings_for
from core.runs.builds import Builds
from core.runs.comparisons import Comparison, ComparisonStore, check_columns
from core.runs.corpora import CorpusService
from core.runs.engine import StepTracer, compiled, execute, fork, resume, sentence, thread_of
from core.runs.forks import edit, edits_within, inherited, layers_until, place_of, started_of, state_after
from core.runs.gold import Gold, gold_documents
from core.runs.graphs import GraphService
from core.runs.job import RunJob
from core.runs.record import Step, record
from core.runs.request import RunRequest, check
from core.runs.store import RunStore, now
from core.settings import Settings, get_settings
from core.skills import SKILLS, methods_in_force
from core.skills.base import SkillContext, prompt_key
from core.strategies.base import RunContext, Strategy
from core.trace.artefacts import AnyArtefact
from core.trace.events import Event, RunFailed, RunForked, RunResumed, RunStarted, RunStopped
from core.users import told_name

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

log = logging.getLogger(__name__)

KEPT_JOBS = 50
"""Ended runs that stay in memory; older ones are read from the store."""


class Workbench:
    """Backends, library and runs of one process; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.backends = Backends(settings)
        self.corpora = CorpusService(self.backends)
        self.graphs = GraphService(self.backends)
        self.builds = Builds(self.corpora, self.graphs)
        self._jobs: dict[str, RunJob] = {}
        self._searching: dict[str, Job[None]] = {}
        self._lock = threading.Lock()
        self._checkpoints: BaseCheckpointSaver[str] | None = None
        self._closing = AsyncExitStack()
        self._opening = asyncio.Lock()

    @cached_property
    def store(self) -> RunStore:
        """Runs and their events."""
        return RunStore(self.settings.database)

    @cached_property
    def comparisons(self) -> ComparisonStore:
        """Runs that stand side by side."""
        return ComparisonStore(self.settings.database)

    def compare(self, requests: Sequence[RunRequest], gold: Sequence[Gold] = ()) -> Comparison:
        """Begin one run per request, all at once, in the background; blocks for a moment.

        Args:
            requests: A column each.
            gold: Documents that hold the evidence; empty: those that the corpus knows of this question, if any.

        Raises:
            InputError: One of them cannot be run, so none is; their questions differ, or there are too few or too many.
            StoreError: The comparison cannot be stored.
        """
        check_columns(requests)
        for request in requests:
            self.check(request)
        if len({request.question.strip() for request in requests}) > 1:
            raise InputError("All columns of a comparison answer one question.")
        question, owner = requests[0].question.strip(), requests[0].owner
        corpus = next((request.corpus for request in requests if request.corpus), None)
        if corpus and not gold:
            gold = gold_documents(self.corpora.catalogue, corpus, question)
        jobs = [self.start(request) for request in requests]
        made = self.comparisons.add(question, [job.run for job in jobs], owner, gold)
        if gold and corpus:
            with self._lock:
                self._searching = {name: job for name, job in self._searching.items() if not job.done}
                self._searching[made.id] = Job(self._search_plain(made.id, jobs))
        return made

    def searching_plain(self, comparison: str) -> bool:
        """Whether a comparison of this process still waits for what plain retrieval finds with as many passages."""
        job = self._searching.get(comparison)
        return job is not None and not job.done

    async def _search_plain(self, comparison: str, jobs: Sequence[RunJob]) -> None:
        """What the columns are held against: searched once it is known how many passages each of them gave."""
        await asyncio.gather(*(job.ended() for job in jobs), return_exceptions=True)
        try:
            rankings = await rankings_for(self.corpora, [record(job.events) for job in jobs])
            if rankings:
                await asyncio.to_thread(self.comparisons.note_plain, comparison, rankings)
        except LoupeError as error:  # the comparison goes without
            log.warning("Plain retrieval could not be searched for comparison %s: %s", comparison, error)

    def start(self, request: RunRequest, run: str = "") -> RunJob:
        """Begin a run in the background.

        Args:
            request: What is asked.
            run: Id of the new run; empty: one that is drawn.

        Raises:
            InputError: The request cannot be run.
        """
        strategy, params = self.check(request)
        request = replace(request, question=request.question.strip())
        started = _started(request, strategy, params, run or secrets.token_hex(8))
        return self._begin(started.run, self._events(started, strategy, params, request), request.owner)

    async def prepare(self, request: RunRequest) -> tuple[RunStarted, RunContext[Any]]:
        """What a run of this request would begin with, and work with: for many questions that are asked alike.

        Raises:
            InputError: The request cannot be run.
            ModelError, ServiceError, StoreError: An engine that it needs does not start.
        """
        strategy, params = await asyncio.to_thread(self.check, request)
        started = _started(request, strategy, params, secrets.token_hex(8))
        return await self._prepare(started, strategy, params, request, StepTracer(time.monotonic()))

    def check(self, request: RunRequest) -> tuple[Strategy[Any], Any]:
        """The strategy and its parameters, if the request can be run; see `core.runs.request.check`."""
        return check(request, self.settings, self.corpora.catalogue, self.graphs.graphs.catalogue)

    def job(self, run: str) -> RunJob | None:
        """A run of this process, under way or ended."""
        return self._jobs.get(run)

    @property
    def running(self) -> int:
        """How many runs of this process are under way."""
        with self._lock:
            return sum(not job.done for job in self._jobs.values())

    def resume(self, run: str, owner: str, endpoint: ChatEndpoint | None = None, account: str = "") -> RunJob:
        """Go on, in the background, with a run that was interrupted, stopped or failed; blocks for a moment.

        Args:
            run: Id of the run.
            owner: Who asks for it.
            endpoint: A chat endpoint set in the browser; None: the server's model.
            account: See `RunRequest`.

        Raises:
            InputError: It is not the owner's, it is under way or finished, or can no longer be run here.
            UnknownRun: There is no such run.
        """
        entry = self.store.entry(run)
        if entry.owner != owner:
            raise InputError("Only the browser that asked this run can continue it. Ask it again instead.")
        past = self.store.events(run)
        started = started_of(past)
        request = RunRequest.of(started, owner=owner, endpoint=endpoint, account=account)
        strategy, params = self.check(request)
        if not self.store.take_over(run):
            raise InputError("This run is under way or finished, so there is nothing to continue.")
        return self._begin(run, self._events(started, strategy, params, request, past), owner, past)

    def fork(
        self,
        run: str,
        step: str,
        artefact: AnyArtefact,
        owner: str,
        endpoint: ChatEndpoint | None = None,
    ) -> RunJob:
        """Run on, in the background and as a run of its own, with what a step made replaced; blocks for a moment.

        Args:
            run: Id of the run to leave.
            step: Id of the step that made it.
            artefact: What takes its place.
            owner: Whose the new run is.
            endpoint: A chat endpoint set in the browser; None: the server's model.

        Raises:
            InputError: There is nothing to edit, or the run cannot go on from there.
            UnknownRun: There is no such run.
        """
        past = self.store.events(run)
        parent = started_of(past)
        before = record(past)
        found, place = place_of(before, step, artefact)
        request = RunRequest.of(parent, owner=owner, endpoint=endpoint)
        strategy, params = self.check(request)
        started = parent.model_copy(
            update={
                "run": secrets.token_hex(8),
                "parent": run,
                "created": now(),
                "seq": 0,
                "at": 0.0,
                "retrieval_only": False,  # who edits wants to see what comes of it
            }
        )
        forked = RunForked(step=step, parent=run, place=place, artefact=artefact)
        events = self._forked(started, strategy, params, request, past, found, forked)
        return self._begin(started.run, events, owner)

    async def _forked(
        self,
        started: RunStarted,
        strategy: Strategy[Any],
        params: Any,
        request: RunRequest,
        past: Sequence[Event],
        step: Step,
        forked: RunForked,
    ) -> AsyncIterator[Event]:
        before = record(past)
        kept = inherited(past, before, step)
        tracer = StepTracer(time.monotonic())
        try:
            prepared, context = await self._prepare(started, strategy, params, request, tracer)
            checkpoints = await self._open_checkpoints()
            graph = compiled(strategy, params, checkpoints)
            values, passed = await self._state_after(graph, forked.parent, step.id)
            for original, change in edits_within(past, kept):
                if change.parent in passed:  # else the state knows of it
                    edit(values, original, change.artefact)
            edit(values, step.artefacts[forked.place], forked.artefact)
        except (Exception, asyncio.CancelledError) as error:
            yield started
            yield self._no_start(error, started.run, 1, 0.0)
            return
        layers = layers_until(before, step)
        origin = tracer.begin(max(event.at for event in kept))
        events = fork(strategy, context, [prepared, *kept], forked, values, layers, checkpoints, origin)
        async for event in events:
            yield event

    async def _state_after(self, graph: Any, run: str, step: str) -> tuple[dict[str, Any], set[str]]:
        """The state after a step, from the run that executed it, and the ancestors that led to that run."""
        passed: set[str] = set()
        while True:
            values = await state_after(graph, thread_of(run), step)
            if values is not None:
                return values, passed
            parent = started_of(await asyncio.to_thread(self.store.events, run)).parent
            if parent is None:
                raise InputError(
                    "The state after this step is not stored any more, so nothing can go on from it."
                )
            run = parent
            passed.add(run)

    def _no_start(self, error: BaseException, run: str, seq: int, at: float) -> Event:
        """How a run ends that could not begin."""
        if isinstance(error, asyncio.CancelledError):
            return RunStopped(seq=seq, at=at, reason="Stopped before the first step.")
        if not isinstance(error, LoupeError):
            log.exception("Run %s could not start", run, exc_info=error)
        return RunFailed(seq=seq, at=at, error=sentence(error))

    def _begin(
        self, run: str, events: AsyncIterator[Event], owner: str, past: Sequence[Event] = ()
    ) -> RunJob:
        job = RunJob(run, events, self.store, owner, past)
        with self._lock:
            self._jobs[run] = job
            ended = [name for name, other in self._jobs.items() if other.stored]
            for name in ended[:-KEPT_JOBS]:
                del self._jobs[name]  # the store has it
        return job

    async def _events(
        self,
        started: RunStarted,
        strategy: Strategy[Any],
        params: Any,
        request: RunRequest,
        past: Sequence[Event] = (),
    ) -> AsyncIterator[Event]:
        """A run's events, or those that follow the past ones."""
        seq, at = (len(past), past[-1].at) if past else (1, 0.0)
        tracer = StepTracer(time.monotonic())
        try:
            prepared, context = await self._prepare(started, strategy, params, request, tracer)
            checkpoints = await self._open_checkpoints()
        except (Exception, asyncio.CancelledError) as error:
            if not past:
                yield started
            yield self._no_start(error, started.run, seq, at)
            return
        origin = tracer.begin(
            at
        )  # engines that were started and models that were loaded for it are not its time
        if past:
            resumed = RunResumed(chat_model=prepared.chat_model, builtin=prepared.builtin)
            events = resume(strategy, context, started.run, past, resumed, checkpoints, origin)
        else:
            events = execute(strategy, context, prepared, checkpoints, origin)
        async for event in events:
            yield event

    async def _prepare(
        self,
        started: RunStarted,
        strategy: Strategy[Any],
        params: Any,
        request: RunRequest,
        tracer: StepTracer,
    ) -> tuple[RunStarted, RunContext[Any]]:
        """Reach the engines that the run needs; starts local ones."""
        from core.models.chat import CallBudget, Chat

        await asyncio.to_thread(import_heavy)
        searches = strategy.retrieves and bool(request.corpus)
        dense = searches and request.retriever != "keyword"
        if dense:
            self.backends.embedder.expect(request.question)
        endpoint = await resolve_chat(
            self.settings, self.backends.supervisor, request.endpoint, request.model
        )
        as_it_came = request.as_it_came or not self.backends.adapter
        methods = methods_in_force(strategy.skills, endpoint.builtin, request.methods, as_it_came)
        own = request.endpoint is None and not endpoint.builtin
        user = told_name(request.account or request.owner) if own else ""
        skills = SkillContext(
            chat=Chat(endpoint, tracer, self.settings, CallBudget(self.settings.max_calls), user),
            embedder=self.backends.embedder,
            tracer=tracer,
            builtin=endpoint.builtin,
            methods=methods,
            prompts=request.prompts,
            as_it_came=as_it_came,
        )
        searcher = await self.corpora.searcher(request.corpus or "", request.retriever) if searches else None
        if searcher and not endpoint.builtin:  # which writes English in any case
            skills = replace(skills, languages=await searcher.languages())
        explores = strategy.explores and request.graph
        graph = await self.graphs.prepare(request.graph or "").wait() if explores else None
        if dense or explores or (strategy.retrieves and endpoint.builtin):
            await self.backends.load_embeddings()
        used = (prompt_key(skill, method) for skill, method in methods.items())
        texts = {key: text for skill in strategy.skills for key, text in SKILLS[skill].prompts().items()}
        started = started.model_copy(
            update={
                "chat_model": endpoint.model,
                "builtin": endpoint.builtin,
                "adapter": endpoint.builtin and not as_it_came,
                "embedding_model": self.backends.embedder.name,
                "methods": methods,
                "prompts": {key: request.prompts.get(key) or texts[key] for key in used if key in texts},
            }
        )
        return started, RunContext(
            params=params, skills=skills, tracer=tracer, retriever=searcher, graph=graph
        )

    async def _open_checkpoints(self) -> BaseCheckpointSaver[str]:
        """The checkpointer, opened with the first run and kept for all."""
        from core.runs.checkpoints import open_checkpoints

        async with self._opening:
            if self._checkpoints is None:
                manager = open_checkpoints(self.settings.rag_loupe_home, self.settings.database)
                self._checkpoints = await self._closing.enter_async_context(manager)
            return self._checkpoints


def _started(request: RunRequest, strategy: Strategy[Any], params: Any, run: str) -> RunStarted:
    """A run's first event, before the engines are reached."""
    return RunStarted(
        run=run,
        created=now(),
        question=request.question,
        strategy=strategy.key,
        params=params.model_dump(),
        corpus=request.corpus if strategy.retrieves else None,
        retriever=request.retriever if strategy.retrieves and request.corpus else None,
        graph=request.graph.strip() if strategy.explores and request.graph else None,
        chat_model="",
        builtin=False,
        retrieval_only=request.retrieval_only,
    )


@cache
def get_workbench() -> Workbench:
    """The workbench of this process."""
    return Workbench(get_settings())
