"""The demo documents as they are searched, without a server: their passages, the vectors that come with them, BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from core.corpora.demo import DEMOS, OVERLAP, WORLD, own_documents, with_known_vectors
from core.corpora.entries import Question, chunk_sizes
from core.corpora.labels import read_questions
from core.corpora.splitting import Splitter, embedded_text, short_title
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.importing import demo_triples
from core.knowledge.triples import Triple
from core.models.embedding_vectors import normalise
from core.models.embeddings import Embedder, builtin_embedder
from core.retrieval.fusion import COMBINED_DEPTH, combine
from core.retrieval.keyword import KeywordIndex
from core.runs.record import Record
from core.trace.artefacts import Ranking
from core.trace.gold import holds_evidence
from core.trace.passages import Hit, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class World:
    """The passages of the first demo corpus, cut and embedded as the app does it."""

    embedder: Embedder
    passages: list[Passage]
    titles: dict[str, str]
    """Id of a document -> its own title; empty where it has none."""

    @cached_property
    def texts(self) -> list[str]:
        """The text that is embedded for each passage."""
        tokenizer, most = self.embedder.tokenizer, self.embedder.max_tokens
        short = {document: short_title(title, tokenizer, most) for document, title in self.titles.items()}
        return [embedded_text(short[one.document], one.text) for one in self.passages]

    @cached_property
    def vectors(self) -> NDArray[np.floating]:
        """Of the passages, one per row at length 1."""
        return normalise(self.embedder.embeddings.embed_documents(self.texts))

    @cached_property
    def keywords(self) -> KeywordIndex:
        """The app's own index of the words."""
        return KeywordIndex(self.passages, self.titles)

    @cached_property
    def places(self) -> dict[str, int]:
        """Id of a passage -> its place."""
        return {one.chunk: place for place, one in enumerate(self.passages)}

    @cached_property
    def questions(self) -> dict[str, Question]:
        """The demo's questions by their ids, each with the passages that hold its evidence."""
        ids = {one.name: one.id for one in own_documents(DEMOS[0])}
        return {one.id: one for one in read_questions(WORLD / DEMOS[0].questions, ids, self.passages)}

    def starred(self, run: Record) -> set[str]:
        """Passages that hold the evidence, as the labels of a run say, whether it found them or not."""
        gold = run.baseline.gold if run.baseline else ()
        return {one.chunk for one in self.passages if holds_evidence(gold, one)}

    def vectors_of(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Vectors of other texts, at length 1."""
        return normalise([self.embedder.embeddings.embed_query(text) for text in texts])

    def cosines(self, query: str) -> list[float]:
        """Of every passage with a query."""
        found: list[float] = (self.vectors @ self.vectors_of([query])[0]).tolist()
        return found

    def nearest(self, query: str, count: int) -> list[tuple[Passage, float]]:
        """The passages whose vectors are nearest to that of a query, best first, with their cosines."""
        cosines = self.vectors @ self.vectors_of([query])[0]
        return [(self.passages[at], float(cosines[at])) for at in (-cosines).argsort(kind="stable")[:count]]


def hybrid(found: World, query: str, vector: NDArray[np.floating], share: float) -> list[Passage]:
    """Passages in the order of hybrid retrieval; with a share of 1 in that of dense retrieval.

    Args:
        vector: Of the query, at length 1.
        share: Weight of the dense scores.
    """
    cosines = found.vectors @ vector
    near = [(int(at), float(cosines[at])) for at in (-cosines).argsort(kind="stable")[:COMBINED_DEPTH]]
    words = [(found.places[one.chunk], score) for one, score in found.keywords.rank(query, COMBINED_DEPTH)]
    both = combine(ranking(near, COMBINED_DEPTH), ranking(words, COMBINED_DEPTH), share)
    return [found.passages[int(one.chunk)] for one, _ in both]


@cache
def world() -> World:
    """The demo documents; some seconds, once."""
    embedder = with_known_vectors(builtin_embedder())
    sizes = chunk_sizes(embedder.max_tokens, overlap=OVERLAP)
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *sizes)
    documents = own_documents(DEMOS[0])
    passages = [one for document in documents for one in splitter.split(document)]
    return World(embedder, passages, {one.id: one.title for one in documents})


def placed(place: int) -> Passage:
    """A passage that stands for its place alone, for functions of the engine that look at nothing else."""
    return Passage(chunk=str(place), document="", title="", text="", position=0, start=0, end=0)


def ranking(scored: Iterable[tuple[int, float]], k: int, query: str = "") -> Ranking:
    """Places of passages with their scores, best first, as a ranking of the engine."""
    hits = tuple(
        Hit(passage=placed(place), rank=rank, score=score) for rank, (place, score) in enumerate(scored, 1)
    )
    return Ranking(query=query, retriever="dense", score_name="", k=k, hits=hits)


@cache
def triples() -> tuple[Triple, ...]:
    """The graph of the same world."""
    return tuple(demo_triples(DEMO_GRAPHS[0], None))
