"""Searching one corpus by the chosen kind of retrieval."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from core.corpora.vectors import ChunkStore, open_vectors
from core.errors import InputError
from core.retrieval.dense import DenseRetriever
from core.retrieval.fusion import fuse
from core.retrieval.keyword import KeywordRetriever
from core.trace.artefacts import Ranking
from core.trace.passages import Hit

if TYPE_CHECKING:
    from core.corpora.catalogue import Catalogue
    from core.corpora.entries import Corpus
    from core.models.embeddings import Embedder

RETRIEVERS = ("dense", "keyword", "hybrid")
"""Kinds of retrieval; hybrid is both others, fused."""
_KEPT = 8
"""Keyword indexes kept in memory."""

Retriever = DenseRetriever | KeywordRetriever


class Searcher:
    """One corpus and one kind of retrieval."""

    def __init__(self, kind: str, retrievers: tuple[Retriever, ...]) -> None:
        self.kind = kind
        self._retrievers = retrievers

    async def lists(self, query: str, k: int, depth: int = 10) -> list[Ranking]:
        """One ranking per algorithm: for hybrid retrieval dense and keyword.

        Args:
            query: What to search for.
            k: How many hits the strategy uses.
            depth: How deep the rankings are kept at least.
        """
        return list(
            await asyncio.gather(*(retriever.rank(query, k, depth) for retriever in self._retrievers))
        )

    async def search(self, query: str, k: int, depth: int = 10) -> Ranking:
        """One ranking; hybrid retrieval fuses its two by RRF."""
        if len(self._retrievers) == 1:
            return await self._retrievers[0].rank(query, k, depth)
        # Fused over their whole depth: what is second in both lists may be ahead of what is first in one.
        deep = [
            ranking.model_copy(update={"k": len(ranking.hits) or 1})
            for ranking in await self.lists(query, k, depth)
        ]
        rows = fuse(deep).rows[: max(k, depth)]
        hits = (Hit(rank=rank, score=row.score, passage=row.passage) for rank, row in enumerate(rows, 1))
        return Ranking(query=query, retriever=self.kind, score_name="RRF score", k=k, hits=tuple(hits))


async def open_searcher(
    catalogue: Catalogue, vectors: str, embedder: Embedder, corpus: str, kind: str
) -> Searcher:
    """The searcher over a corpus as it is now; documents that are being added are not found.

    Args:
        catalogue: Where the corpus is noted.
        vectors: URL of the Chroma server.
        embedder: Embeds the queries.
        corpus: Name of the corpus.
        kind: One of `RETRIEVERS`.

    Raises:
        InputError: There is no such corpus or kind, or the corpus was indexed with another embedding model.
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    return await asyncio.to_thread(_open, catalogue, vectors, embedder, corpus, kind)


def _open(catalogue: Catalogue, vectors: str, embedder: Embedder, name: str, kind: str) -> Searcher:
    if kind not in RETRIEVERS:
        raise InputError(f"There is no retriever '{kind}'. Choose one of: {', '.join(RETRIEVERS)}.")
    corpus = catalogue.corpus(name)
    if kind != "keyword" and corpus.embedder != embedder.key:
        raise InputError(
            f"“{corpus.name}” was indexed with the embeddings “{corpus.embedder_name}”, but now “{embedder.name}” are set. "
            "Index its documents again, or search by keyword."
        )
    store = ChunkStore(open_vectors(vectors), corpus)
    documents = frozenset(catalogue.ready(corpus.id))
    retrievers: list[Retriever] = []
    if kind != "keyword":
        retrievers.append(DenseRetriever(store, embedder, documents))
    if kind != "dense":
        retrievers.append(_keyword(store, corpus, documents))
    return Searcher(kind, tuple(retrievers))


_indexes: OrderedDict[tuple[str, int], KeywordRetriever] = OrderedDict()
_building = threading.Lock()


def _keyword(store: ChunkStore, corpus: Corpus, documents: frozenset[str]) -> KeywordRetriever:
    """The keyword index of this version of a corpus, built once."""
    key = (corpus.id, corpus.version)
    with _building:
        if key not in _indexes:
            for other in [other for other in _indexes if other[0] == corpus.id]:
                del _indexes[other]
            _indexes[key] = KeywordRetriever(store.passages(documents))
            if len(_indexes) > _KEPT:
                _indexes.popitem(last=False)
        _indexes.move_to_end(key)
        return _indexes[key]
