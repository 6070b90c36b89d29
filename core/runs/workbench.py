"""Everything that one process needs to index and to ask, put together once."""

from __future__ import annotations

import asyncio
import importlib
import logging
import secrets
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

from core.corpora.catalogue import Catalogue
from core.corpora.demo import DEMO_CORPUS, ensure_demo
from core.corpora.entries import Corpus
from core.corpora.ingestion import ingest
from core.corpora.reports import IndexReport
from core.corpora.sources import Source
from core.errors import InputError, LoupeError
from core.jobs import run_blocking
from core.models.embeddings import Embedder, open_embedder
from core.models.endpoint import ChatEndpoint, probe, resolve_chat
from core.retrieval.searcher import RETRIEVERS, Searcher, open_searcher
from core.runs.engine import StepTracer, execute, sentence
from core.runs.indexing import IndexJob
from core.runs.job import RunJob
from core.runs.store import RunStore, now
from core.services.chat import BUILTIN_CHAT
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.settings import Settings, get_settings
from core.skills import SKILLS, methods_in_force
from core.skills.base import SkillContext, prompt_key
from core.strategies import get_strategy
from core.strategies.base import RunContext, Strategy
from core.trace.events import Event, RunFailed, RunStarted, RunStopped

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

log = logging.getLogger(__name__)

_UNFIT = frozenset(chr(code) for code in range(32) if chr(code) not in "\t\n\r") | {"\x7f"}
KEPT_JOBS = 50
"""Ended runs that stay in memory; older ones are read from the store."""

__all__ = ["DEMO_CORPUS", "ChatStatus", "RunRequest", "Workbench", "get_workbench"]


KEPT_SEARCHERS = 32
"""Corpora, each with a kind of retrieval, that stay open between runs."""


@dataclass(frozen=True)
class RunRequest:
    """One question and how it is to be answered."""

    question: str
    strategy: str
    params: Mapping[str, Any] = field(default_factory=dict)
    corpus: str | None = None
    retriever: str = "dense"
    methods: Mapping[str, str] = field(default_factory=dict)
    """Skill key -> method picked by the user."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompt key -> text edited by the user."""
    endpoint: ChatEndpoint | None = None
    """A chat endpoint set in the browser, for this run only; never stored."""
    owner: str = ""
    """Session that may see the run."""


@dataclass(frozen=True)
class ChatStatus:
    """Which model answers and whether it is ready, for the sidebar."""

    name: str
    builtin: bool
    state: Literal["ready", "starting", "stopped", "failed"]
    message: str


class Workbench:
    """Settings, services, catalogue, runs and jobs of one process; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.supervisor = Supervisor(settings.rag_loupe_home)
        self._jobs: dict[str, RunJob] = {}
        self._indexing: dict[str, IndexJob] = {}
        self._lock = threading.Lock()
        self._checkpoints: BaseCheckpointSaver[str] | None = None
        self._closing = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._searchers: dict[tuple[str, str, str], Searcher] = {}
        self._warming = False
        name = settings.chat_model or "the endpoint's first model"
        self._configured = ChatStatus(name, False, "stopped", "Not asked yet.")

    @cached_property
    def catalogue(self) -> Catalogue:
        """Corpora and documents."""
        return Catalogue(self.settings.database)

    @cached_property
    def store(self) -> RunStore:
        """Runs and their events."""
        return RunStore(self.settings.database)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of this deployment."""
        return open_embedder(self.settings)

    # Asking

    def check(self, request: RunRequest) -> tuple[Strategy[Any], Any]:
        """The strategy and its parameters, if the request can be run.

        Raises:
            InputError: It cannot; one sentence says why.
        """
        question = request.question.strip()
        if not question.isprintable() and any(char in question for char in _UNFIT):
            raise InputError("The question holds characters that are no text. Type or paste it again.")
        try:
            question.encode()
        except UnicodeEncodeError:
            raise InputError("The question is not valid Unicode text. Type or paste it again.") from None
        limit = self.settings.max_question_chars
        if not question:
            raise InputError("The question is empty. Write one, or choose an example.")
        if len(question) > limit:
            raise InputError(
                f"The question has {len(question):,} characters; at most {limit:,} are possible. "
                "Shorten it, or upload the long text as a document and ask about it."
            )
        strategy = get_strategy(request.strategy)
        params = strategy.parse(request.params)
        methods_in_force(strategy.skills, True, request.methods)
        if unknown := set(request.methods) - set(SKILLS):
            raise InputError(f"There is no skill '{min(unknown)}'. Skills: {', '.join(SKILLS)}.")
        if strategy.retrieves:
            if request.retriever not in RETRIEVERS:
                raise InputError(
                    f"There is no retriever '{request.retriever}'. Choose one of: {', '.join(RETRIEVERS)}."
                )
            if not request.corpus:
                raise InputError(f"{strategy.title} searches documents: choose a corpus first.")
            if request.corpus != DEMO_CORPUS:
                self.catalogue.corpus(request.corpus)
        return strategy, params

    def start(self, request: RunRequest) -> RunJob:
        """Begin a run in the background.

        Raises:
            InputError: The request cannot be run.
        """
        strategy, params = self.check(request)
        run = secrets.token_hex(8)
        request = replace(request, question=request.question.strip())
        job = RunJob(run, self._events(run, strategy, params, request), self.store, request.owner)
        with self._lock:
            self._jobs[run] = job
            ended = [name for name, other in self._jobs.items() if other.stored]
            for name in ended[:-KEPT_JOBS]:
                del self._jobs[name]  # the store has it
        return job

    def job(self, run: str) -> RunJob | None:
        """A run of this process, under way or ended."""
        return self._jobs.get(run)

    async def _events(
        self, run: str, strategy: Strategy[Any], params: Any, request: RunRequest
    ) -> AsyncIterator[Event]:
        origin = time.monotonic()
        started = RunStarted(
            run=run,
            created=now(),
            question=request.question,
            strategy=strategy.key,
            params=params.model_dump(),
            corpus=request.corpus if strategy.retrieves else None,
            retriever=request.retriever if strategy.retrieves else None,
            chat_model="",
            builtin=False,
        )
        try:
            started, context = await self._prepare(started, strategy, params, request, origin)
            checkpoints = await self._open_checkpoints()
        except asyncio.CancelledError:
            yield started
            yield RunStopped(seq=1, at=time.monotonic() - origin, reason="Stopped before the first step.")
            return
        except Exception as error:
            if not isinstance(error, LoupeError):
                log.exception("Run %s could not start", run)
            yield started
            yield RunFailed(seq=1, at=time.monotonic() - origin, error=sentence(error))
            return
        async for event in execute(strategy, context, started, checkpoints, origin):
            yield event

    async def _prepare(
        self, started: RunStarted, strategy: Strategy[Any], params: Any, request: RunRequest, origin: float
    ) -> tuple[RunStarted, RunContext[Any]]:
        """Reach the engines that the run needs; starts local ones."""
        from core.models.chat import CallBudget, Chat

        await asyncio.to_thread(import_heavy)
        if strategy.retrieves and request.retriever != "keyword":
            self.embedder.expect(request.question)
        endpoint = await resolve_chat(self.settings, self.supervisor, request.endpoint)
        methods = methods_in_force(strategy.skills, endpoint.builtin, request.methods)
        tracer = StepTracer(origin)
        skills = SkillContext(
            chat=Chat(endpoint, tracer, self.settings, CallBudget(self.settings.max_calls)),
            embedder=self.embedder,
            tracer=tracer,
            builtin=endpoint.builtin,
            methods=methods,
            prompts=request.prompts,
        )
        searcher = await self.searcher(request.corpus, request.retriever) if strategy.retrieves else None
        used = (prompt_key(skill, method) for skill, method in methods.items())
        texts = {key: text for skill in strategy.skills for key, text in SKILLS[skill].prompts().items()}
        started = started.model_copy(
            update={
                "chat_model": endpoint.model,
                "builtin": endpoint.builtin,
                "embedding_model": self.embedder.name,
                "methods": methods,
                "prompts": {key: request.prompts.get(key) or texts[key] for key in used if key in texts},
            }
        )
        return started, RunContext(params=params, skills=skills, tracer=tracer, retriever=searcher)

    async def _open_checkpoints(self) -> BaseCheckpointSaver[str]:
        """The checkpointer, opened with the first run and kept for all."""
        from core.runs.checkpoints import open_checkpoints

        async with self._opening:
            if self._checkpoints is None:
                manager = open_checkpoints(self.settings.rag_loupe_home)
                self._checkpoints = await self._closing.enter_async_context(manager)
            return self._checkpoints

    # Searching and indexing

    async def vectors_url(self) -> str:
        """Address of the Chroma server; the local one is started if none is configured.

        Raises:
            ServiceError: It does not start.
        """
        if self.settings.chroma_url:
            return self.settings.chroma_url
        return (await asyncio.to_thread(self.supervisor.ensure, LOCAL_CHROMA)).url

    async def searcher(self, corpus: str | None, retriever: str) -> Searcher:
        """The retriever over a corpus.

        Raises:
            InputError: There is no such corpus, or it was indexed with another embedding model.
        """
        found = await asyncio.to_thread(self.catalogue.corpus, corpus or "")
        url = await self.vectors_url()
        key = (found.id, retriever, url)
        if key not in self._searchers:
            while len(self._searchers) >= KEPT_SEARCHERS:
                del self._searchers[next(iter(self._searchers))]
            self._searchers[key] = await open_searcher(
                self.catalogue, url, self.embedder, found.name, retriever
            )
        return self._searchers[key]

    def corpora(self) -> list[Corpus]:
        """Every corpus, with its number of documents and chunks and its example questions."""
        return self.catalogue.corpora()

    def index(self, files: Sequence[Source], corpus: str) -> IndexJob:
        """Index documents into a corpus in the background; the corpus is made if there is none of that name."""

        async def work(report: Any) -> IndexReport:
            return await ingest(
                files,
                corpus,
                catalogue=self.catalogue,
                vectors=await self.vectors_url(),
                embedder=self.embedder,
                max_mb=self.settings.max_upload_mb,
                progress=report,
            )

        return IndexJob(work)

    def demo(self) -> IndexJob:
        """Make the demo corpus ready, once per process however often it is asked for."""

        async def work(report: Any) -> IndexReport:
            return await ensure_demo(
                self.catalogue, await self.vectors_url(), self.embedder, self.settings, report
            )

        with self._lock:
            job = self._indexing.get(DEMO_CORPUS)
            if job is None or job.error() is not None:
                job = self._indexing[DEMO_CORPUS] = IndexJob(work)
            return job

    # The chat model and the local services

    def chat_status(self, endpoint: ChatEndpoint | None = None) -> ChatStatus:
        """Which model answers and whether it is ready; never blocks."""
        if endpoint is not None:
            name = endpoint.model or "the endpoint's first model"
            return ChatStatus(name, False, "ready", "Set in this browser, for this session only.")
        if self.settings.has_chat_endpoint:
            return self._configured
        status = self.supervisor.status(BUILTIN_CHAT)
        state = "starting" if self._warming and status.state == "stopped" else status.state
        return ChatStatus("SmolLM2 135M, built in", True, state, status.message)

    def problems(self) -> list[str]:
        """Sentences about local services, other than the chat model, that are not working."""
        status = self.supervisor.status(LOCAL_CHROMA)
        return [status.message] if not self.settings.chroma_url and status.state == "failed" else []

    def warm(self) -> None:
        """Start the local services and import what a run needs, in threads; returns at once."""
        self._warming = True
        if self.settings.has_chat_endpoint:
            self._configured = replace(
                self._configured, state="starting", message="The endpoint is being asked."
            )
        threading.Thread(target=self._warm, name="rag-loupe-warm", daemon=True).start()

    def restart(self) -> None:
        """Try again what failed: local services that died, or a configured endpoint that did not answer."""
        self._warming = True

        def again() -> None:
            for service in (LOCAL_CHROMA, BUILTIN_CHAT):
                self.supervisor.reset(service)  # waits while the service is being started
            self.warm()

        threading.Thread(target=again, name="rag-loupe-restart", daemon=True).start()

    def _warm(self) -> None:
        threading.Thread(target=self._warm_vectors, name="rag-loupe-warm-vectors", daemon=True).start()
        try:
            import_heavy()
            endpoint = run_blocking(resolve_chat(self.settings, self.supervisor))
            if not endpoint.builtin:
                run_blocking(probe(endpoint))
                message = "Set by whoever runs this server."
                self._configured = ChatStatus(endpoint.model, False, "ready", message)
        except LoupeError as error:
            log.warning("%s", error)
            self._configured = replace(self._configured, state="failed", message=str(error))
        finally:
            self._warming = False

    def _warm_vectors(self) -> None:
        try:
            if not self.settings.chroma_url:
                self.supervisor.ensure(LOCAL_CHROMA)
            if self.embedder.builtin:
                self.embedder.embeddings.embed_query("warm")
        except LoupeError as error:
            log.warning("%s", error)  # the sidebar shows it from the supervisor's status


@cache
def import_heavy() -> None:
    """Import the libraries that a run needs; takes seconds, so never on the event loop."""
    for name in (
        "langgraph.graph",
        "langgraph.checkpoint.sqlite.aio",
        "langchain_openai",
        "langchain_chroma",
    ):
        importlib.import_module(name)


@cache
def get_workbench() -> Workbench:
    """The workbench of this process."""
    return Workbench(get_settings())
