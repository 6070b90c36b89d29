"""The knowledge graphs as one process explores them: made ready once, and kept open between runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from core.corpora.chunk_store import open_vectors
from core.corpora.demo import shipped_corpus, with_known_vectors
from core.corpora.labels import finder
from core.jobs import WatchedJob, run_blocking
from core.knowledge.explore.explorer import Explorer, open_explorer
from core.knowledge.explore.graph_index import drop_indexes
from core.knowledge.store.aliases import former_names
from core.knowledge.store.demo_graphs import DEMO_GRAPHS, GRAPH_VECTORS
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import demo_graph
from core.runs.backends import Backends
from core.runs.sources.corpora import CorpusService
from core.services.chroma import has_vectors
from core.users import TEACHER, User

KEPT_OPEN = 8
"""Graphs whose names stay in memory."""


@dataclass(frozen=True)
class _Doing:
    """How far a graph is."""

    message: str = "Starting the graph database"
    share: float = 0.0
    """How much of what it is doing now is done, from 0 to 1; 0 also where nobody can know."""


class GraphJob(WatchedJob[Explorer, _Doing]):
    """A graph being made ready: imported if it comes with the app and is missing, and its index brought up to date."""

    def __init__(self, service: GraphService, name: str) -> None:
        self._service = service
        super().__init__(self._make_ready(name), _Doing())

    @property
    def message(self) -> str:
        """The progress in a few words."""
        return self.progress.message

    async def _make_ready(self, name: str) -> Explorer:
        url = await self._service.backends.vectors_url()
        return await asyncio.to_thread(self._service.ready, name, url, self._imported, self._indexed)

    def _imported(self, done: int) -> None:
        self.tell(_Doing(f"Importing the graph: {done:,} triples written"))

    def _indexed(self, done: int, total: int) -> None:
        self.tell(_Doing(f"Indexing the graph: {done:,} of {total:,} names", done / max(1, total)))


class GraphService:
    """Graphs, and explorers of them; thread-safe."""

    def __init__(self, backends: Backends, corpora: CorpusService) -> None:
        self.backends = backends
        self._corpora = corpora
        self._open: dict[tuple[str, int, str], Explorer] = {}
        self._jobs: dict[str, GraphJob] = {}
        self._compared: set[tuple[str, str, int]] = set()
        """A graph, the corpus that it cites, and its version: the graph was compared with that."""
        self._lock = threading.Lock()

    @cached_property
    def graphs(self) -> Graphs:
        """Catalogue and stores."""
        return Graphs(self.backends.settings, self.backends.supervisor)

    def names(self) -> list[str]:
        """The graphs that can be asked: those that come with the app, then those that are ready, by name."""
        return list(self._cited())

    def prepare(self, name: str) -> GraphJob:
        """Make a graph ready in the background; the job under way, if there is one."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None or job.done:
                job = self._jobs[name] = GraphJob(self, name)
            return job

    def delete(self, name: str, by: User = TEACHER) -> None:
        """Delete a graph with its search indexes; blocks.

        Raises:
            UnknownGraph: There is none of that name.
            NotAllowed: It is somebody else's.
            ServiceError, StoreError: The graph server, Chroma or the catalogue fails; it can be tried again.
        """
        graph, backends = self.graphs.catalogue.graph(name), self.backends
        by.check(graph.owner, graph.name)
        # First, since a graph without its index gets it again, and nobody would know of an index without its graph.
        if backends.settings.chroma_url or has_vectors(backends.settings.rag_loupe_home):
            drop_indexes(open_vectors(run_blocking(backends.vectors_url())), graph.id)
        self.graphs.delete(name)

    def ready(
        self,
        name: str,
        vectors: str,
        imported: Callable[[int], None] = lambda done: None,
        indexed: Callable[[int, int], None] = lambda done, total: None,
    ) -> Explorer:
        """Open a graph, and do first what is needed for it; blocks.

        Args:
            vectors: URL of the Chroma server.
            imported: Told how many triples are written.
            indexed: Told how many names are indexed, and how many there are.

        Raises:
            InputError: There is no such graph.
            ModelError, ServiceError, StoreError: Embedding, Chroma, the graph server or the catalogue fails.
        """
        graph = self._imported(name, imported)
        key = (graph.id, graph.version, vectors)
        if key not in self._open:
            store = self.graphs.store(graph)
            client, embedder = open_vectors(vectors), self.backends.embedder
            if graph.mark:
                embedder = with_known_vectors(embedder, (GRAPH_VECTORS,))
            lost = former_names(self.graphs.aliases.merges(graph.id))
            catalogue = self._corpora.catalogue
            cited = next((corpus.id for corpus in catalogue.corpora() if corpus.name == graph.corpus), "")
            titles = {entry.id: entry.title or entry.name for entry in catalogue.documents(cited)}
            explorer = open_explorer(client, graph, store, embedder, indexed, lost, titles)
            with self._lock:
                while len(self._open) >= KEPT_OPEN:
                    del self._open[next(iter(self._open))]
                self._open[key] = explorer
        return self._open[key]

    def corpus_of(self, name: str) -> str:
        """Name of the corpus that a graph cites; empty: none, or there is no such graph."""
        return self._cited().get(name, "")

    def of_corpus(self, corpus: str) -> str:
        """Name of the graph that cites a corpus, one that comes with the app first; empty: none does."""
        return next((name for name, cited in self._cited().items() if corpus and cited == corpus), "")

    def _cited(self) -> dict[str, str]:
        """Graph that can be asked, see `names` -> the corpus that it cites."""
        ready = {graph.name: graph.corpus for graph in self.graphs.catalogue.graphs() if graph.ready}
        return {demo.name: demo.corpus for demo in DEMO_GRAPHS} | ready

    def _imported(self, name: str, progress: Callable[[int], None]) -> Graph:
        """The graph of that name. One of the app is compared with the corpus that it cites once per state of both."""
        cited = next((demo.corpus for demo in DEMO_GRAPHS if demo.name == name), "")
        corpus = shipped_corpus(cited, self._corpora.catalogue) if cited else None
        if corpus is None or not corpus.chunks:
            return demo_graph(self.graphs, name, progress)
        for graph in self.graphs.catalogue.graphs():
            if graph.ready and graph.name == name and (graph.id, corpus.id, corpus.version) in self._compared:
                return graph
        ready = frozenset(self._corpora.catalogue.ready(corpus.id))
        passages = self._corpora.chunk_store(corpus).passages(ready)
        graph = demo_graph(self.graphs, name, progress, finder(passages))
        self._compared.add((graph.id, corpus.id, corpus.version))
        return graph
