"""Keyword retrieval: BM25 (Robertson et al. 1994) as Lucene computes it, by the library bm25s."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from core.retrieval.tokens import tokens
from core.trace.artefacts import Ranking
from core.trace.passages import Hit, Passage

K1, B = 0.9, 0.4
"""Saturation of repeated words and the weight of a chunk's length, the values common for passages (Anserini)."""


class KeywordRetriever:
    """An index of the words of one corpus, in memory."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        """Build the index; blocks. Words of the title count like those of the text."""
        import bm25s

        self._passages = passages
        self._index = bm25s.BM25(method="lucene", k1=K1, b=B)
        corpus = [tokens(f"{passage.title}\n{passage.text}") for passage in passages]
        self._empty = not any(corpus)
        if not self._empty:
            self._index.index(corpus, show_progress=False)

    async def rank(self, query: str, k: int, depth: int) -> Ranking:
        """The best chunks that share a word with the query, to the larger of `k` and `depth`."""
        found = await asyncio.to_thread(self._search, query, max(k, depth))
        hits = (
            Hit(rank=rank, score=score, passage=passage) for rank, (passage, score) in enumerate(found, 1)
        )
        return Ranking(query=query, retriever="keyword", score_name="BM25", k=k, hits=tuple(hits))

    def _search(self, query: str, count: int) -> list[tuple[Passage, float]]:
        wanted = tokens(query)
        if self._empty or not wanted:
            return []
        scores = self._index.get_scores(wanted)
        best = sorted(range(len(scores)), key=lambda i: -scores[i])[:count]
        return [(self._passages[i], float(scores[i])) for i in best if scores[i] > 0]
