"""The graphs being built in this process, how far each graph is, and what building on will take."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.entries import Corpus
from core.corpora.writing import uninterrupted
from core.errors import InputError
from core.jobs import WatchedJob
from core.knowledge.build.graph_building import (
    WORKERS,
    BuildProgress,
    BuildReport,
    Extractor,
    FailedChunk,
    build,
    failed_chunks,
    graph_for,
)
from core.knowledge.store.graph_catalogue import Graph, graph_name
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import check_target
from core.models.chat_models import CONFIGURED, ChatModel
from core.models.endpoint import name_for_endpoint
from core.models.recordings.items import BUILDING, KeptRun
from core.models.recordings.open_recording import digest
from core.models.spending import day_budget
from core.runs.backends import import_graphs
from core.runs.request import COMMAND_LINE
from core.runs.sources.corpora import CorpusService
from core.runs.sources.graphs import GraphService
from core.skills import check_prompt, methods_in_force
from core.skills.base import OWN, SkillContext, builtin_prompt
from core.skills.extract import EXTRACT, Extraction, extract
from core.trace.events import ListTracer
from core.trace.passages import Passage
from core.users import TEACHER, User

CALLS_PER_CHUNK = 200
"""Model calls that one chunk may take; sentence by sentence, each may need two."""
BUILTIN_WORKERS = 1
"""Chunks at once with the built-in model, which is sent all sentences of a chunk at once already."""


class BuildOptions(TypedDict, total=False):
    """The options of building a graph; what is left out is as usual."""

    limit: int | None
    """Most chunks to do this time; None: all."""
    retry_failed: bool
    """Whether chunks that failed before are sent again."""
    only_failed: bool
    """Whether nothing but these is sent."""
    methods: Mapping[str, str]
    """Skill key -> method picked by the user."""
    prompts: Mapping[str, str]
    """Prompt key -> text edited by the user."""
    chat: ChatModel
    """Which chat model answers."""


class BuildJob(WatchedJob[BuildReport, BuildProgress]):
    """A graph being built; the chunks finished before a stop stay in it."""

    def __init__(
        self,
        corpora: CorpusService,
        graphs: Graphs,
        corpus: str,
        graph: str,
        by: User = TEACHER,
        **options: Unpack[BuildOptions],
    ) -> None:
        """Begin in the background.

        Args:
            corpus: Its name.
            graph: Its name; made if there is none.
            by: Who asks for it. A new graph is theirs, one that is there must be.
            options: See `BuildOptions`.

        Raises:
            InputError: A method, a prompt or the name of the graph cannot be used.
            NotAllowed: The graph is somebody else's.
            StoreError: The catalogue cannot be read.
        """
        self.corpus, self.graph, self.owner = corpus, graph, by.owner
        self._by, self._corpora, self._graphs, self._options = by, corpora, graphs, options
        self._methods, self._prompts = options.get("methods", {}), options.get("prompts", {})
        for key, text in self._prompts.items():
            check_prompt(key, text)
        if EXTRACT.key in self._methods:
            EXTRACT.method(self._methods[EXTRACT.key])
        # Before a model is started for it; and again when the graph is opened.
        check_target(graphs, graph, by)
        super().__init__(self._build(corpus, graph), BuildProgress())

    async def _build(self, corpus: str, graph: str) -> BuildReport:
        with self._corpora.allowances.under_way(self._by):
            entry = await asyncio.to_thread(self._corpora.catalogue.corpus, corpus)
            passages = await self._passages(entry)
            if not passages:
                raise InputError(f"“{entry.name}” has no documents. Add some first.")
            mark = digest(sorted(passage.chunk for passage in passages))
            extractor, workers = await self._extractor(entry.name, mark)
            target = await uninterrupted(graph_for, self._graphs, graph, entry.name, self._by)
            return await build(
                target,
                passages,
                extractor,
                graphs=self._graphs,
                limit=self._options.get("limit"),
                retry_failed=self._options.get("retry_failed", False),
                only_failed=self._options.get("only_failed", False),
                progress=self.tell,
                **workers,
            )

    async def _passages(self, corpus: Corpus) -> list[Passage]:
        url = await self._corpora.backends.vectors_url()

        def read() -> list[Passage]:
            ready = self._corpora.catalogue.ready(corpus.id)
            return ChunkStore(open_vectors(url), corpus).passages(frozenset(ready)) if ready else []

        return await asyncio.to_thread(read)

    async def _extractor(self, corpus: str, mark: str) -> tuple[Extractor, dict[str, Any]]:
        from core.models.calling import CallBudget
        from core.models.chat import Chat

        await asyncio.to_thread(import_graphs)
        backends = self._corpora.backends
        model = self._options.get("chat", CONFIGURED)
        endpoint = await model.open(backends.models)
        kind = await asyncio.to_thread(backends.kind, model, endpoint)
        methods = methods_in_force([EXTRACT.key], kind, self._methods)
        own = model.typed is None and not endpoint.builtin
        user = name_for_endpoint(self._by.owner or COMMAND_LINE) if own else ""
        day = day_budget(backends.settings, model, self._by)

        how: dict[str, Any] = {
            "question": "",
            "strategy": BUILDING,
            "corpus": corpus,
            "mark": mark,
            "methods": methods,
            "edited": tuple(
                sorted(key for key, text in self._prompts.items() if text != builtin_prompt(key))
            ),
        }
        run = KeptRun(key=digest("run", how), **how)

        async def extract_passage(passage: Passage) -> Extraction:
            tracer = ListTracer()  # of this chunk alone: the events of all would fill the memory
            tape = backends.recordings.tape(model.play, endpoint.model, run) if model.play else None
            speeds, budget = backends.models.speeds, CallBudget(CALLS_PER_CHUNK, day=day)
            chat = Chat(endpoint, tracer, backends.settings, budget, user, tape, speeds)
            context = SkillContext(
                chat=chat,
                embedder=backends.embedder,
                tracer=tracer,
                builtin=endpoint.builtin,
                methods=methods,
                prompts=self._prompts,
            )
            extraction = await extract(context, passage)
            if tape:
                tape.recorded.keep([run])
            return extraction

        workers = {"workers": BUILTIN_WORKERS} if endpoint.builtin else {}
        return Extractor(extract_passage, endpoint.model, demonstration=endpoint.builtin), workers

    @property
    def message(self) -> str:
        """The progress in a few words."""
        now = self.progress
        if not now.chunks_total:
            return "Getting ready"
        text = f"Extracting: {now.chunks:,} of {now.chunks_total:,} chunks, {now.triples:,} triples"
        if now.dropped:
            text += f", {sum(now.dropped.values()):,} dropped"
        if now.failed:
            text += f", {now.failed:,} failed"
        return text


KEPT_ENDED = 20
"""Ended builds whose report stays in memory."""


@dataclass(frozen=True)
class BuildStatus:
    """How far a graph is with its corpus as it is now."""

    chunks: int
    """Of the corpus."""
    done: int = 0
    failed: tuple[FailedChunk, ...] = ()
    demonstration: bool = False
    """Whether chunks were extracted sentence by sentence, as the built-in model does it."""

    @property
    def open(self) -> int:
        """Chunks that were never tried."""
        return self.chunks - self.done - len(self.failed)


@dataclass(frozen=True)
class BuildForecast:
    """The probable cost of a build."""

    chunks: int
    calls: int
    """Model calls, as a rule."""
    seconds: float | None
    """None: this model has not done a chunk yet."""


class Builds:
    """One build per graph at a time; thread-safe. A build outlives the page and the session that began it."""

    def __init__(self, corpora: CorpusService, graphs: GraphService) -> None:
        self._corpora, self._graphs = corpora, graphs
        self._jobs: dict[str, BuildJob] = {}
        self._lock = threading.Lock()

    def start(self, corpus: str, graph: str, by: User, **options: Unpack[BuildOptions]) -> BuildJob:
        """Begin in the background; see `BuildJob`.

        Raises:
            InputError: The name, a method or a prompt cannot be used, or this graph is being built already.
            NotAllowed: It is somebody else's, or the model may not be used for it.
        """
        self._corpora.allowances.check_spending(by, options.get("chat", CONFIGURED))
        name = graph_name(graph)
        with self._lock:
            running = self._jobs.get(name)
            if running is not None and not running.done:
                raise InputError(f"“{name}” is being built already.")
            job = BuildJob(self._corpora, self._graphs.graphs, corpus, name, by, **options)
            self._jobs[name] = job
            ended = [key for key, other in self._jobs.items() if other.done]
            for key in ended[:-KEPT_ENDED]:
                del self._jobs[key]
        return job

    def job(self, graph: str) -> BuildJob | None:
        """The build of the graph of that name that was begun last in this process, under way or ended."""
        return self._jobs.get(graph)

    def running(self) -> list[BuildJob]:
        """The builds under way in this process."""
        with self._lock:
            return [job for job in self._jobs.values() if not job.done]

    def status(self, graph: Graph) -> BuildStatus:
        """Say how far a graph is built; asks no graph server. Blocks for a moment.

        Raises:
            InputError: Its corpus is not there any more.
            StoreError: The catalogue or the ledger cannot be read.
        """
        catalogue = self._corpora.catalogue
        entries = [entry for entry in catalogue.documents(catalogue.corpus(graph.corpus).id) if entry.ready]
        there = {entry.id for entry in entries}
        ledger = self._graphs.graphs.ledger
        methods = ledger.methods(graph.id)
        known = {chunk: methods[chunk] for chunk in methods if chunk.rpartition("-")[0] in there}
        done = [method for method in known.values() if method is not None]
        failed = failed_chunks(ledger, graph.id, known) if len(done) < len(known) else ()
        return BuildStatus(
            sum(entry.chunks for entry in entries),
            len(done),
            failed,
            any(method not in OWN for method in done),
        )

    def forecast(self, chunks: int, method: str, model: str, *, builtin: bool) -> BuildForecast:
        """The cost of extracting a number of chunks, estimated from the chunks that this model did in all graphs.

        Args:
            method: Key of the method of extracting.
            model: Name of the chat model; empty: any.

        Raises:
            StoreError: The ledger cannot be read.
        """
        known = self._graphs.graphs.ledger.seconds(model, method)
        at_once = BUILTIN_WORKERS if builtin else WORKERS
        seconds = None if known is None else known * chunks / min(at_once, max(1, chunks))
        return BuildForecast(chunks, chunks * EXTRACT.method(method).calls, seconds)
