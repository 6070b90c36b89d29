"""Dense retrieval: the chunks whose vectors are nearest to the query's, or to the mean of texts, as HyDE searches.

L. Gao, X. Ma, J. Lin, J. Callan: Precise Zero-Shot Dense Retrieval without Relevance Labels. ACL 2023, arXiv
2212.10496, equation 8: the vectors of the question and of the hypothetical passages are averaged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.batching import Batcher
from core.corpora.filtering import Where
from core.models.embedding_vectors import normalise
from core.retrieval.corpus import SearchableCorpus
from core.trace.passages import Passage

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from core.models.embeddings import Embedder

SCORE_NAME = "cosine similarity"

Scored = list[tuple[Passage, float]]


class DenseRetriever:
    """Ranks chunks by cosine similarity (1 minus Chroma's cosine distance), from -1 to 1.

    Queries that arrive together, as the branches of a fan-out do, are embedded at once and searched in one
    request.
    """

    def __init__(self, corpus: SearchableCorpus, embedder: Embedder, where: Where = ()) -> None:
        self._corpus = corpus
        self._where = where
        self._embedder = embedder
        self._together = Batcher(self._search)

    async def rank(self, query: str, count: int) -> Scored:
        """Return the `count` best chunks for a query, best first."""
        return await self._together((query, count))

    async def mean(self, question: str, passages: Sequence[str], with_question: bool) -> list[float]:
        """Return the mean of the vectors of some passages, with or without the question's.

        Passages are embedded as documents are, the question as a query.
        """
        if not passages:
            return mean_vector(await self._embedder.embed_queries([question]))
        query_vectors, passage_vectors = await asyncio.gather(
            self._embedder.embed_queries([question] if with_question else []),
            self._embedder.embed_documents(list(passages)),
        )
        return mean_vector([*query_vectors, *passage_vectors])

    async def rank_vector(self, vector: list[float], count: int) -> Scored:
        """Return the `count` best chunks for a vector, best first."""
        return (await asyncio.to_thread(self._nearest, [vector], count))[0]

    async def _search(self, requests: list[tuple[str, int]]) -> list[Scored]:
        vectors = await self._embedder.embed_queries([query for query, _ in requests])
        results = await asyncio.to_thread(self._nearest, vectors, max(count for _, count in requests))
        return [scored[:count] for scored, (_, count) in zip(results, requests, strict=True)]

    def _nearest(self, vectors: list[list[float]], count: int) -> list[Scored]:
        """Search, and again if the corpus has changed meanwhile. One thread does it all: switching costs time."""
        corpus = self._corpus
        known = corpus.known or corpus.snapshot()
        while True:
            documents = known.matching(self._where)
            share = len(documents) / max(1, len(known.documents))
            results = corpus.chunks.nearest(vectors, count, documents, share) if documents else []
            now = corpus.snapshot()
            if now.version == known.version:
                return results or [[] for _ in vectors]
            known = now


def mean_vector(vectors: ArrayLike) -> list[float]:
    """Return the mean of vectors, scaled to length 1; each of them, at least one, has the same weight, whatever its
    length. Where they cancel out, the mean is all zeros."""
    mean: list[float] = normalise(normalise(vectors).mean(axis=0)).tolist()
    return mean


def mean_of(passages: int, with_question: bool) -> str:
    """Return a description of the texts whose mean is the query vector."""
    if passages == 0:
        return "the question"
    what = "the passage" if passages == 1 else f"the {passages} passages"
    if with_question:
        return f"the mean of the question and {what}"
    return what if passages == 1 else f"the mean of {what}"


def words_of(question: str, passages: Sequence[str]) -> str:
    """Return the text that keyword retrieval searches with. BM25 sums over words, so the texts are joined."""
    return "\n".join(passages) or question
