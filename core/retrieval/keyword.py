"""Keyword retrieval by BM25, in Lucene's variant.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond. 2009. The variants are
compared in C. Kamphuis et al.: Which BM25 Do You Mean? ECIR 2020.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from core.corpora.filtering import Where
from core.corpora.splitting import embedded_text
from core.retrieval.caches import PASSAGES, CorpusCache
from core.retrieval.corpus import SearchableCorpus
from core.retrieval.tokens import characters, lone_characters, tokens
from core.trace.passages import Passage

if TYPE_CHECKING:
    import bm25s
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
"""Lucene's own defaults."""


class KeywordIndex:
    """BM25 over the chunks of one version of a corpus; each chunk also counts its document's title as text, and what a
    model wrote about it for the index."""

    def __init__(self, passages: list[Passage], titles: dict[str, str]) -> None:
        self._passages = passages
        self._documents = list(dict.fromkeys(passage.document for passage in passages))
        places = {document: place for place, document in enumerate(self._documents)}
        self._document = [places[passage.document] for passage in passages]
        self._texts = [
            embedded_text(titles[p.document], p.text, p.indexed_with.text if p.indexed_with else "")
            for p in passages
        ]
        self._bm25 = _bm25(list(map(tokens, self._texts)))

    @cached_property
    def _characters(self) -> bm25s.BM25 | None:
        """BM25 over the single characters of scripts without blanks; most corpora are never asked for one."""
        return _bm25(list(map(characters, self._texts)))

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Place of the document of each chunk."""
        import numpy as np

        return np.array(self._document, dtype=np.int64)

    @property
    def size(self) -> int:
        """Number of chunks that it holds."""
        return len(self._passages)

    def rank(
        self, query: str, count: int, documents: Collection[str] | None = None
    ) -> list[tuple[Passage, float]]:
        """Return the `count` best chunks that share a term with the query, best first; None: of all documents.

        Whatever is searched, words are weighed by the whole corpus: a score then means the same with every filter, and
        a word that all letters have does not become worthless because only letters are searched.
        """
        lone = lone_characters(query)
        terms = [term for term in tokens(query) if term not in lone]
        parts = [(self._bm25, terms), (self._characters if lone else None, lone)]
        part_scores = [index.get_scores(wanted) for index, wanted in parts if index is not None and wanted]
        if not part_scores:
            return []
        scores = sum(part_scores[1:], part_scores[0])
        if documents is not None:
            import numpy as np

            inside = np.array([document in documents for document in self._documents], dtype=bool)
            scores = np.where(inside[self._places], scores, 0)
        order = (-scores).argsort(kind="stable")[:count]
        return [(self._passages[i], float(scores[i])) for i in order if scores[i] > 0]


def _bm25(terms: list[list[str]]) -> bm25s.BM25 | None:
    """Return an index over the terms of each chunk; None: there are none at all."""
    if not any(terms):
        return None
    import bm25s

    # The library sets its own logger to DEBUG when it is imported, which would show in logs and terminals.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    index = bm25s.BM25(method="lucene", k1=K1, b=B)
    index.index(terms, show_progress=False)
    return index


INDEXES: CorpusCache[KeywordIndex] = CorpusCache(
    lambda corpus, snapshot: KeywordIndex(PASSAGES.of(corpus, snapshot), snapshot.titles),
    lambda index: index.size,
    doing="counting the words of all passages, once",
)


class KeywordRetriever:
    """Ranks chunks by BM25."""

    key = "keyword"
    score_name = "BM25 score"

    def __init__(self, corpus: SearchableCorpus, where: Where = ()) -> None:
        self._corpus = corpus
        self._where = where

    async def rank(self, query: str, count: int) -> list[tuple[Passage, float]]:
        """Return the `count` best chunks that share a term with the query, best first."""

        def rank() -> list[tuple[Passage, float]]:
            documents = self._corpus.matching(self._where) if self._where else None
            return INDEXES.of(self._corpus).rank(query, count, documents)

        return await asyncio.to_thread(rank)
