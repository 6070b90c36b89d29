"""The material that a notebook searches: the passages of the run's corpus, or the triples of its graph. Reads, and
blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from core.corpora.filtering import matching, parse_where
from core.errors import LoupeError
from core.knowledge.store.exporting import triples as all_triples
from core.runs.record import Record
from core.runs.sources.corpora import CorpusService
from core.runs.sources.graphs import GraphService
from core.trace.artefacts import Context, GraphPath, Ranking, SubAnswer, ToolCall
from core.trace.passages import Passage

MOST_PASSAGES = 2000
MOST_BYTES = 5 * 2**20
"""Of their texts; of a larger corpus a notebook has only what the run found."""
MOST_TRIPLES = 10_000


@dataclass(frozen=True)
class NotebookPassage:
    """A passage, and how it is indexed."""

    passage: Passage
    title: str
    """The document's own title, with which it is embedded; may be empty."""


@dataclass(frozen=True)
class Materials:
    """The passages and triples that go into the notebook."""

    sources: tuple[NotebookPassage, ...] = ()
    whole_corpus: bool = False
    """Whether these are all passages of the corpus; else those that the run found."""
    triples: tuple[tuple[str, str, str], ...] = ()
    whole_graph: bool = False


def gather(run: Record, corpora: CorpusService, graphs: GraphService) -> Materials:
    """The whole corpus and graph of a run where they are small and still here as they were; else what the run found."""
    corpus, graph = _corpus(run, corpora), _graph(run, graphs)
    return Materials(
        corpus or found_passages(run), bool(corpus), graph or found_triples(run), whole_graph=bool(graph)
    )


def found_passages(run: Record) -> tuple[NotebookPassage, ...]:
    """Every passage that the run found, once."""
    passages: dict[str, Passage] = {}
    for _, artefact in run.artefacts:
        some: Iterable[Passage] = ()
        if isinstance(artefact, Ranking):
            some = (hit.passage for hit in artefact.hits)
        elif isinstance(artefact, Context):
            some = (item.passage for item in artefact.passages)
        elif isinstance(artefact, ToolCall | SubAnswer):
            some = artefact.passages
        for passage in some:
            for chunk in passage.apart():
                passages.setdefault(chunk.chunk, chunk)
    return tuple(NotebookPassage(passage, passage.title) for passage in passages.values())


def found_triples(run: Record) -> tuple[tuple[str, str, str], ...]:
    """Every triple on the run's paths, once."""
    triples = (triple for path in run.find(GraphPath) for triple in path.triples)
    return tuple(dict.fromkeys((triple.subject, triple.relation, triple.object) for triple in triples))


def corpus_sources(
    corpora: CorpusService, name: str, most: int, where: Sequence[str] = ()
) -> tuple[NotebookPassage, ...]:
    """All passages of a corpus, or of its documents that match a filter; none if it has more than `most`.

    Raises:
        InputError: There is no such corpus.
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    catalogue, corpus = corpora.catalogue, corpora.catalogue.corpus(name)
    if corpus.chunks > most:
        return ()
    titles = catalogue.ready(corpus.id)
    chosen = matching(parse_where(where), catalogue.about(corpus.id)) if where else titles
    passages = corpora.chunk_store(corpus).passages(frozenset(titles.keys() & chosen))
    return tuple(NotebookPassage(passage, titles[passage.document]) for passage in passages)


def _corpus(run: Record, corpora: CorpusService) -> tuple[NotebookPassage, ...]:
    """All passages that the run could find in its corpus; none if it is large, gone, or no longer holds it."""
    if run.started is None or run.started.corpus is None:
        return ()
    try:
        sources = corpus_sources(corpora, run.started.corpus, MOST_PASSAGES, run.started.where)
    except LoupeError:
        return ()
    texts = {source.passage.chunk: source.passage.text for source in sources}
    size = sum(len(text.encode()) for text in texts.values())
    unchanged = all(texts.get(item.passage.chunk) == item.passage.text for item in found_passages(run))
    return sources if size <= MOST_BYTES and unchanged else ()


def _graph(run: Record, graphs: GraphService) -> tuple[tuple[str, str, str], ...]:
    """All triples of the run's graph; none if it is large, gone, or has labels of its own."""
    if run.started is None or run.started.graph is None:
        return ()
    try:
        graph = graphs.graphs.catalogue.graph(run.started.graph)
        if graph.native or not graph.ready:
            return ()
        store = graphs.graphs.store(graph)
        some = [
            (triple.subject.name, triple.relation, triple.object.name)
            for triple in islice(all_triples(store), MOST_TRIPLES + 1)
        ]
    except LoupeError:
        return ()
    return tuple(dict.fromkeys(some)) if len(some) <= MOST_TRIPLES else ()
