"""Keyword retrieval by BM25, in Lucene's variant.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond. 2009. The variants are
compared in C. Kamphuis et al.: Which BM25 Do You Mean? ECIR 2020.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from core.corpora.splitting import embedded_text
from core.retrieval.corpus import SearchableCorpus, Snapshot
from core.retrieval.tokens import tokens
from core.trace.passages import Passage

if TYPE_CHECKING:
    import bm25s

SCORE_NAME = "BM25 score"
K1 = 1.2
B = 0.75
"""Lucene's own defaults."""

_KEPT = 8
"""Corpora whose index stays in memory."""


class KeywordIndex:
    """BM25 over the chunks of one version of a corpus; each chunk also counts its document's title as text."""

    def __init__(self, passages: list[Passage], titles: dict[str, str]) -> None:
        self._passages = passages
        terms = [tokens(embedded_text(titles[item.document], item.text)) for item in passages]
        self._bm25: bm25s.BM25 | None = None
        if any(terms):
            import bm25s

            # The library sets its own logger to DEBUG when it is imported, which would show in logs and terminals.
            logging.getLogger("bm25s").setLevel(logging.WARNING)
            self._bm25 = bm25s.BM25(method="lucene", k1=K1, b=B)
            self._bm25.index(terms, show_progress=False)

    def rank(self, query: str, count: int) -> list[tuple[Passage, float]]:
        """The `count` best chunks that share a term with the query, best first."""
        terms = tokens(query)
        if self._bm25 is None or not terms:
            return []
        scores = self._bm25.get_scores(terms)
        order = (-scores).argsort(kind="stable")[:count]
        return [(self._passages[i], float(scores[i])) for i in order if scores[i] > 0]


class _Slot:
    """The index of one corpus, with the lock for building it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.version = -1
        self.index: KeywordIndex | None = None


class KeywordRetriever:
    """Ranks chunks by BM25. The index is built when first needed and again when the corpus has changed."""

    _slots: OrderedDict[str, _Slot] = OrderedDict()  # noqa: RUF012 - shared on purpose
    _lock = threading.Lock()
    """Guards `_slots` alone, so that building a large index does not block searches in other corpora."""

    def __init__(self, corpus: SearchableCorpus) -> None:
        self._corpus = corpus

    async def rank(self, query: str, count: int) -> list[tuple[Passage, float]]:
        """The `count` best chunks that share a term with the query, best first.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        return await asyncio.to_thread(lambda: self._index().rank(query, count))

    def _index(self) -> KeywordIndex:
        slot = self._slot()
        with (
            slot.lock
        ):  # queries of one run arrive together: the first builds the index, the others wait for it
            snapshot = self._corpus.snapshot()
            if slot.index is None or slot.version != snapshot.version:
                slot.index = self._build(snapshot)
                slot.version = snapshot.version
            return slot.index

    def _slot(self) -> _Slot:
        key = self._corpus.chunks.name
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > _KEPT:
                self._slots.popitem(last=False)
            return slot

    def _build(self, snapshot: Snapshot) -> KeywordIndex:
        return KeywordIndex(self._corpus.chunks.passages(snapshot.documents), snapshot.titles)
