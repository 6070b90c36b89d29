"""Everything that a run needs: the settings, and what is reached and kept by them; and the entities by which graphs
join passages, for linked retrieval."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from core.runs.backends import Backends
from core.settings import Settings
from core.users import APP

if TYPE_CHECKING:
    from core.corpora.entries import Corpus
    from core.knowledge.store.graph_catalogue import Graph
    from core.knowledge.store.graphs import Graphs
    from core.knowledge.triples import Quoted
    from core.runs.allowances import Allowances
    from core.runs.recordings import Recordings
    from core.runs.sources.corpora import CorpusService
    from core.runs.sources.graphs import GraphService
    from core.runs.store import RunStore
    from core.trace.passages import Passage

T = TypeVar("T")


class Sources:
    """Settings, backends, corpora, graphs and recordings of one process, each imported and made when first needed;
    thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.backends = Backends(settings)
        self._made: dict[str, Any] = {}
        self._making = threading.RLock()

    @property
    def corpora(self) -> CorpusService:
        """The corpora."""
        from core.runs.sources.corpora import CorpusService

        return self._once(
            "corpora",
            lambda: CorpusService(
                self.backends, GraphEntities(lambda: self.graphs.graphs), lambda: self.allowances
            ),
        )

    @property
    def graphs(self) -> GraphService:
        """The knowledge graphs."""
        from core.runs.sources.graphs import GraphService

        return self._once("graphs", lambda: GraphService(self.backends, self.corpora))

    @property
    def recordings(self) -> Recordings:
        """Replies of models that are kept."""
        return self.backends.recordings

    @property
    def store(self) -> RunStore:
        """Runs and their events."""
        from core.runs.store import RunStore

        return self._once("store", lambda: RunStore(self.settings.database))

    @property
    def allowances(self) -> Allowances:
        """The limits of visitors."""
        from core.runs.allowances import Allowances

        rooms = (
            lambda owner: self.corpora.catalogue.stored_by(owner),
            lambda owner: self.store.stored_by(owner),
            lambda owner: self.recordings.store.stored_by(owner),
        )
        return self._once("allowances", lambda: Allowances(self.settings, rooms))

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """One for the process, whoever asks first."""
        with self._making:
            if name not in self._made:
                self._made[name] = make()
            value: T = self._made[name]
            return value


class GraphEntities:
    """The entities that the graphs of a process name in corpora, see `core.retrieval.corpus.EntitySource`;
    thread-safe."""

    def __init__(self, graphs: Callable[[], Graphs]) -> None:
        """Take what gives catalogue and stores; it is asked when they are first needed."""
        self._graphs = graphs

    def mark(self, corpus: Corpus) -> str:
        """The graphs that cite a corpus and are ready, with their versions.

        One that comes with the app counts as the file that it is imported from, whether it has been or not.
        """
        return " ".join([f"{graph.id}:{graph.version}" for graph in self._built(corpus)])

    def quotes(self, corpus: Corpus, passages: Sequence[Passage]) -> Quoted:
        """Their entities; a graph whose entities are not kept is read from the graph server, which may take seconds."""
        from core.knowledge.triples import unite_quoted

        return unite_quoted([*map(self._quoted, self._built(corpus)), self._shipped(corpus, passages)])

    def _built(self, corpus: Corpus) -> list[Graph]:
        """The graphs of a corpus that do not come with the app. One that is being changed is left out."""
        from core.knowledge.store.demo_graphs import demo_names

        return [
            graph
            for graph in self._graphs().catalogue.graphs()
            if graph.ready
            and not graph.native
            and graph.corpus == corpus.name
            and graph.name not in demo_names()
        ]

    def _quoted(self, graph: Graph) -> Quoted:
        from core.knowledge.store.exporting import triples
        from core.knowledge.triples import quoted_entities

        graphs = self._graphs()
        quoted = graphs.catalogue.quoted(graph)
        if quoted is None:
            quoted = quoted_entities(triples(graphs.store(graph)))
            graphs.catalogue.keep_quoted(graph, quoted)
        return quoted

    def _shipped(self, corpus: Corpus, passages: Sequence[Passage]) -> Quoted:
        """The entities of the graph that comes with a corpus of the app."""
        from core.corpora.labels import finder
        from core.knowledge.store.demo_graphs import DEMO_GRAPHS
        from core.knowledge.store.importing import demo_triples
        from core.knowledge.triples import quoted_entities

        demo = next((graph for graph in DEMO_GRAPHS if graph.corpus and graph.corpus == corpus.name), None)
        if demo is None or corpus.owner != APP.owner:
            return {}
        return quoted_entities(demo_triples(demo, finder(passages)))
