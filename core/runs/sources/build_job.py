"""Building a graph as a background job, with the models and stores of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.entries import Corpus
from core.corpora.writing import uninterrupted
from core.errors import InputError
from core.jobs import WatchedJob
from core.knowledge.build.build_reports import BuildProgress, BuildReport
from core.knowledge.build.graph_building import Extractor, build, graph_for
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import check_target
from core.models.chat_models import CONFIGURED, ChatModel
from core.models.recordings.items import BUILDING, KeptRun
from core.models.recordings.keys import digest
from core.runs.backends import import_graphs
from core.runs.request import COMMAND_LINE
from core.runs.sources.corpora import CorpusService
from core.skills import check_prompt, methods_in_force
from core.skills.base import SkillContext, builtin_prompt
from core.skills.extract import EXTRACT, Extraction, extract
from core.trace.passages import Passage
from core.trace.tracer import ListTracer
from core.users import TEACHER, User, told_name

CALLS_PER_CHUNK = 200
"""Model calls that one chunk may take; sentence by sentence, each may need two."""
BUILTIN_WORKERS = 1
"""Chunks at once with the built-in model, which is sent all sentences of a chunk at once already."""


class BuildOptions(TypedDict, total=False):
    """How a graph is built; what is left out is as usual."""

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
            corpora: Where the corpus is.
            graphs: Where the graph is, or will be.
            corpus: Name of the corpus.
            graph: Name of the graph; made if there is none.
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
        super().__init__(self._admitted(corpus, graph), BuildProgress())

    async def _admitted(self, corpus: str, graph: str) -> BuildReport:
        with self._corpora.allowances.under_way(self._by):
            return await self._build(corpus, graph)

    async def _build(self, corpus: str, graph: str) -> BuildReport:
        found = await asyncio.to_thread(self._corpora.catalogue.corpus, corpus)
        passages = await self._passages(found)
        if not passages:
            raise InputError(f"“{found.name}” has no documents. Add some first.")
        mark = digest(sorted(passage.chunk for passage in passages))
        extractor, workers = await self._extractor(found.name, mark)
        target = await uninterrupted(graph_for, self._graphs, graph, found.name, self._by)
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
        asked = self._options.get("chat", CONFIGURED)
        endpoint = await asked.open(backends.models)
        kind = await asyncio.to_thread(backends.kind, asked, endpoint)
        methods = methods_in_force([EXTRACT.key], kind, self._methods)
        own = asked.typed is None and not endpoint.builtin
        user = told_name(self._by.owner or COMMAND_LINE) if own else ""

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

        async def one(passage: Passage) -> Extraction:
            tracer = ListTracer()  # of this chunk alone: the events of all would fill the memory
            tape = backends.recordings.tape(asked.play, endpoint.model, run) if asked.play else None
            chat = Chat(endpoint, tracer, backends.settings, CallBudget(CALLS_PER_CHUNK), user, tape)
            context = SkillContext(
                chat=chat,
                embedder=backends.embedder,
                tracer=tracer,
                builtin=endpoint.builtin,
                methods=methods,
                prompts=self._prompts,
            )
            found = await extract(context, passage)
            if tape:
                tape.recorded.keep([run])
            return found

        workers = {"workers": BUILTIN_WORKERS} if endpoint.builtin else {}
        return Extractor(one, endpoint.model, demonstration=endpoint.builtin), workers

    @property
    def message(self) -> str:
        """How far it is, in a few words."""
        now = self.progress
        if not now.chunks_total:
            return "Getting ready"
        text = f"Extracting: {now.chunks:,} of {now.chunks_total:,} chunks, {now.triples:,} triples"
        if now.dropped:
            text += f", {sum(now.dropped.values()):,} dropped"
        if now.failed:
            text += f", {now.failed:,} failed"
        return text
