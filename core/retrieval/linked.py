"""Linked retrieval: a walk along the mentions of a corpus, from the first hits of hybrid retrieval."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from core.corpora.filtering import Where
from core.models.embedding_vectors import cosine_matrix
from core.retrieval.corpus import SearchableCorpus, Snapshot
from core.retrieval.joined import Numbers, Walked, walk_from
from core.retrieval.kept import PASSAGES, Kept
from core.retrieval.links import Links
from core.retrieval.titles import known_as
from core.retrieval.walk import Walking
from core.trace.artefacts import Ranking


class Walker:
    """Walks in one corpus. Its graph of mentions is made when first needed, and again when it has changed."""

    def __init__(self, corpus: SearchableCorpus, where: Where = ()) -> None:
        self._corpus = corpus
        self._where = where

    async def walk(
        self, found: Ranking, vector: Sequence[float], how: Walking, kept: Ranking | None = None
    ) -> Walked | str:
        """From the first hits of a ranking.

        Args:
            found: The ranking, best first.
            vector: Of the query, for the cosine.
            how: How is walked and joined.
            kept: What came of it when it was recorded, which makes the order; None: nothing is known.

        Returns:
            The walk; or, in a sentence, why there is none.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        return await asyncio.to_thread(self._walk, found, vector, how, kept)

    def _walk(
        self, found: Ranking, vector: Sequence[float], how: Walking, kept: Ranking | None
    ) -> Walked | str:
        links = LINKS.of(self._corpus)
        if self._where:
            links = links.within(self._corpus.matching(self._where))
        chunks = (hit.passage.chunk for hit in found.hits)
        hits = [links.places[chunk] for chunk in chunks if chunk in links.places]

        def cosines(places: Sequence[int]) -> Numbers:
            return self._cosines([links.passages[place].chunk for place in places], vector)

        if kept and not kept.hits:
            return kept.note
        scores = {hit.passage.chunk: hit.score for hit in kept.hits} if kept else {}
        # A recording comes from anywhere, and may name what a filter leaves out.
        known = {links.places[chunk]: score for chunk, score in scores.items() if chunk in links.places}
        begin = links.named_first(found.query, hits, how.seeds)
        return walk_from(links, begin, cosines, how, known)

    def _cosines(self, chunks: Sequence[str], vector: Sequence[float]) -> Numbers:
        """The cosine of each chunk with a vector; -1 of one that is not there any more."""
        known = self._corpus.chunks.vectors(chunks)
        there = [chunk for chunk in chunks if chunk in known]
        found = cosine_matrix([vector], [known[chunk] for chunk in there])[0] if there else []
        cosines = dict(zip(there, found, strict=True))
        return np.array([cosines.get(chunk, -1.0) for chunk in chunks])


def _links(corpus: SearchableCorpus, snapshot: Snapshot) -> Links:
    passages = PASSAGES.of(corpus, snapshot)
    shown = {passage.document: passage.title for passage in passages}
    titles = {document: known_as(snapshot.titles[document], title) for document, title in shown.items()}
    return Links(passages, titles, corpus.graphs.told(corpus.corpus, passages) if corpus.graphs else None)


def _mark(corpus: SearchableCorpus) -> str:
    return corpus.graphs.mark(corpus.corpus) if corpus.graphs else ""


LINKS: Kept[Links] = Kept(
    _links,
    lambda links: len(links.passages),
    _mark,
    doing="looking through all passages for titles of other documents, once",
)
