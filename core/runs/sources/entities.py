"""The entities by which graphs join passages of the corpora that they were built from, for linked retrieval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.users import APP

if TYPE_CHECKING:
    from core.corpora.entries import Corpus
    from core.knowledge.store.graph_catalogue import Graph
    from core.knowledge.store.graphs import Graphs
    from core.knowledge.triples import Quoted
    from core.trace.passages import Passage


class GraphEntities:
    """What the graphs of a process tell of corpora; see `core.retrieval.corpus.EntitySource`. Thread-safe."""

    def __init__(self, graphs: Callable[[], Graphs]) -> None:
        """
        Args:
            graphs: Gives catalogue and stores; asked when they are first needed.
        """
        self._graphs = graphs

    def mark(self, corpus: Corpus) -> str:
        """The graphs that cite a corpus and are ready, with their versions.

        One that comes with the app counts as the file that it is imported from, whether it has been or not.
        """
        return " ".join([f"{graph.id}:{graph.version}" for graph in self._built(corpus)])

    def told(self, corpus: Corpus, passages: Sequence[Passage]) -> Quoted:
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

        demo = next((one for one in DEMO_GRAPHS if one.corpus and one.corpus == corpus.name), None)
        if demo is None or corpus.owner != APP.owner:
            return {}
        return quoted_entities(demo_triples(demo, finder(passages)))
