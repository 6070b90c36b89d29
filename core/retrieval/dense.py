"""Dense retrieval: the chunks whose vectors are nearest to the query's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from core.retrieval.corpus import SearchableCorpus
from core.trace.passages import Passage

if TYPE_CHECKING:
    from core.models.embeddings import Embedder

SCORE_NAME = "cosine similarity"


class DenseRetriever:
    """Ranks chunks by cosine similarity (1 minus Chroma's cosine distance), from -1 to 1."""

    def __init__(self, corpus: SearchableCorpus, embedder: Embedder) -> None:
        self._corpus = corpus
        self._embedder = embedder

    async def rank(self, query: str, count: int) -> list[tuple[Passage, float]]:
        """The `count` best chunks for a query, best first.

        Raises:
            ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
        """
        vector = await self._embedder.embed_query(query)
        return await asyncio.to_thread(self._nearest, vector, count)

    def _nearest(self, vector: list[float], count: int) -> list[tuple[Passage, float]]:
        documents = self._corpus.snapshot().documents
        return self._corpus.chunks.nearest(vector, count, documents) if documents else []
