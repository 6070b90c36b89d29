"""Keyword retrieval by BM25, in Lucene's variant.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond. 2009. The variants are
compared in C. Kamphuis et al.: Which BM25 Do You Mean? ECIR 2020.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

from core.corpora.filtering import Where
from core.corpora.splitting import embedded_text
from core.retrieval.corpus import SearchableCorpus, Snapshot
from core.retrieval.kept import PASSAGES, Kept
from core.retrieval.tokens import tokens
from core.trace.passages import Passage

if TYPE_CHECKING:
    import bm25s

SCORE_NAME = "BM25 score"
K1 = 1.2
B = 0.75
"""Lucene's own defaults."""


class KeywordIndex:
    """BM25 over the chunks of one version of a corpus; each chunk also counts its document's title as text, and what a
    model wrote about it for the index."""

    def __init__(self, passages: list[Passage], titles: dict[str, str]) -> None:
        self._passages = passages
        places = {one: place for place, one in enumerate(dict.fromkeys(item.document for item in passages))}
        self._documents = list(places)
        self._document = [places[item.document] for item in passages]
        terms = [tokens(_indexed_text(item, titles[item.document])) for item in passages]
        self._bm25: bm25s.BM25 | None = None
        if any(terms):
            import bm25s

            # The library sets its own logger to DEBUG when it is imported, which would show in logs and terminals.
            logging.getLogger("bm25s").setLevel(logging.WARNING)
            self._bm25 = bm25s.BM25(method="lucene", k1=K1, b=B)
            self._bm25.index(terms, show_progress=False)

    @property
    def size(self) -> int:
        """How many chunks it holds."""
        return len(self._passages)

    def rank(
        self, query: str, count: int, documents: Collection[str] | None = None
    ) -> list[tuple[Passage, float]]:
        """The `count` best chunks that share a term with the query, best first; None: of all documents.

        Whatever is searched, words are weighed by the whole corpus: a score then means the same with every filter, and
        a word that all letters have does not become worthless because only letters are searched.
        """
        terms = tokens(query)
        if self._bm25 is None or not terms:
            return []
        scores = self._bm25.get_scores(terms)
        if documents is not None:
            import numpy as np

            inside = np.array([one in documents for one in self._documents], dtype=bool)
            scores = np.where(inside[self._document], scores, 0)
        order = (-scores).argsort(kind="stable")[:count]
        return [(self._passages[i], float(scores[i])) for i in order if scores[i] > 0]


def _indexed_text(passage: Passage, title: str) -> str:
    return embedded_text(title, passage.text, passage.indexed_with.text if passage.indexed_with else "")


def _index(corpus: SearchableCorpus, snapshot: Snapshot) -> KeywordIndex:
    return KeywordIndex(PASSAGES.of(corpus, snapshot), snapshot.titles)


INDEXES: Kept[KeywordIndex] = Kept(_index, lambda index: index.size)


class KeywordRetriever:
    """Ranks chunks by BM25."""

    def __init__(self, corpus: SearchableCorpus, where: Where = ()) -> None:
        self._corpus = corpus
        self._where = where

    async def rank(self, query: str, count: int) -> list[tuple[Passage, float]]:
        """The `count` best chunks that share a term with the query, best first.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        return await asyncio.to_thread(self._rank, query, count)

    def _rank(self, query: str, count: int) -> list[tuple[Passage, float]]:
        documents = self._corpus.matching(self._where) if self._where else None
        return INDEXES.of(self._corpus).rank(query, count, documents)
