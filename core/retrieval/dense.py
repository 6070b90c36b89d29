"""Dense retrieval: the chunks whose embeddings are nearest to the query's, by cosine similarity."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from core.trace.artefacts import Ranking
from core.trace.passages import Hit

if TYPE_CHECKING:
    from core.corpora.vectors import ChunkStore
    from core.models.embeddings import Embedder


class DenseRetriever:
    """Searches the vectors of one corpus."""

    def __init__(self, store: ChunkStore, embedder: Embedder, documents: frozenset[str]) -> None:
        """
        Args:
            store: The corpus's chunks.
            embedder: The model they were embedded with.
            documents: Ids of the documents that may be found.
        """
        self._store, self._embedder, self._documents = store, embedder, documents

    async def rank(self, query: str, k: int, depth: int) -> Ranking:
        """The nearest chunks, to the larger of `k` and `depth`."""
        vector = await self._embedder.embed_query(query)
        found = await asyncio.to_thread(self._store.nearest, vector, max(k, depth), self._documents)
        hits = (
            Hit(rank=rank, score=score, passage=passage) for rank, (passage, score) in enumerate(found, 1)
        )
        return Ranking(query=query, retriever="dense", score_name="cosine similarity", k=k, hits=tuple(hits))
