"""The graphs being built in this process, how far each graph is, and what building on will take."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Unpack

from core.errors import InputError
from core.knowledge.build.build_reports import FailedChunk
from core.knowledge.build.graph_building import WORKERS, failed_chunks
from core.knowledge.store.graph_catalogue import Graph, graph_name
from core.models.chat_models import CONFIGURED
from core.runs.sources.build_job import BUILTIN_WORKERS, BuildJob, BuildOptions
from core.runs.sources.corpora import CorpusService
from core.runs.sources.graphs import GraphService
from core.skills.base import MODEL
from core.skills.extract import EXTRACT
from core.users import User

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
    """What a build will probably take."""

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
        """How far a graph is; asks no graph server. Blocks for a moment.

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
            any(method != MODEL for method in done),
        )

    def forecast(self, chunks: int, method: str, model: str, *, builtin: bool) -> BuildForecast:
        """What extracting a number of chunks will take, estimated from the chunks that this model did in all graphs.

        Args:
            chunks: How many.
            method: Key of the method of extracting.
            model: Name of the chat model; empty: any.
            builtin: Whether it is the built-in one.

        Raises:
            StoreError: The ledger cannot be read.
        """
        known = self._graphs.graphs.ledger.seconds(model, method)
        at_once = BUILTIN_WORKERS if builtin else WORKERS
        seconds = None if known is None else known * chunks / min(at_once, max(1, chunks))
        return BuildForecast(chunks, chunks * EXTRACT.method(method).calls, seconds)
