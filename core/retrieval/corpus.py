"""The documents of a corpus that may be searched at the moment, and rankings that a recording holds in the place of
searches."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from core.batching import Batcher
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.filtering import FieldValues, Where, fields_of, matching
from core.models.recordings.items import KeptHit, KeptList, KeptRanking
from core.models.recordings.open_recording import OpenRecording, digest
from core.trace.artefacts import Ranking
from core.trace.passages import Hit

if TYPE_CHECKING:
    from core.corpora.catalogue import Catalogue
    from core.corpora.documents import About
    from core.corpora.entries import Corpus
    from core.retrieval.links import EntityQuotes
    from core.trace.passages import Passage


SAMPLE = 200
"""Number of chunks from which the languages of a corpus are detected."""
FILTERS_IN_MEMORY = 16
"""Filters whose documents stay in memory."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The documents that are ready in one version of a corpus."""

    version: int
    titles: dict[str, str]
    """Id -> the document's own title; empty where it has none."""
    read: Callable[[], dict[str, About]]
    """Reads from the catalogue all that is known about each document; blocks for a moment."""

    @cached_property
    def documents(self) -> frozenset[str]:
        """Their ids."""
        return frozenset(self.titles)

    @cached_property
    def digest(self) -> str:
        """A hash of the documents, whose ids are hashes of what they say."""
        return hashlib.sha256("\n".join(sorted(self.documents)).encode()).hexdigest()

    @cached_property
    def about(self) -> dict[str, About]:
        """The facts about each document."""
        return {document: about for document, about in self.read().items() if document in self.documents}

    @cached_property
    def matching(self) -> Callable[[Where], frozenset[str]]:
        """Ids of the documents that a filter leaves; those of the last filters are kept."""
        remembered = lru_cache(FILTERS_IN_MEMORY)(lambda where: matching(where, self.about))
        return lambda where: remembered(where) if where else self.documents

    @cached_property
    def fields(self) -> Callable[[Where], tuple[FieldValues, ...]]:
        """The fields by which a further filter can tell the documents apart that a filter leaves."""
        return lru_cache(1)(
            lambda where: fields_of(self.about[ident] for ident in self.about.keys() & self.matching(where))
        )


class EntitySource(Protocol):
    """The graphs that were built from corpora. Calls block."""

    def mark(self, corpus: Corpus) -> str:
        """Return a mark of the graphs of a corpus, which changes when they do; empty: there are none. Fast.

        Raises:
            StoreError: The catalogue cannot be read.
        """

    def quotes(self, corpus: Corpus, passages: Sequence[Passage]) -> EntityQuotes:
        """Return the entities of these graphs, and which of the corpus's passages tell of them.

        Raises:
            ServiceError, StoreError: The graph server or the catalogue fails.
        """


class SearchableCorpus:
    """A corpus, as it was when it was opened, with its chunks on the Chroma server with the URL `vectors`.

    Documents that are still being indexed, or removed, are never searched. Methods block for a moment, and raise
    `ServiceError` where Chroma does not answer, `StoreError` where the corpus is gone or the catalogue cannot be read.
    """

    def __init__(
        self, corpus: Corpus, catalogue: Catalogue, vectors: str, graphs: EntitySource | None = None
    ) -> None:
        self.corpus = corpus
        self.graphs = graphs
        self._vectors = vectors
        self._chunks: ChunkStore | None = None
        self._opening = threading.Lock()
        self.catalogue = catalogue
        """The catalogue that lists its documents."""
        self._snapshot: Snapshot | None = None
        self._lock = threading.Lock()

    @property
    def chunks(self) -> ChunkStore:
        """Its chunks; the first use imports Chroma's client, asks the server, and blocks as long."""
        with self._opening:
            if self._chunks is None:
                self._chunks = ChunkStore(open_vectors(self._vectors), self.corpus)
            return self._chunks

    @property
    def known(self) -> Snapshot | None:
        """The latest snapshot; None: none has been taken."""
        return self._snapshot

    def snapshot(self) -> Snapshot:
        """Return the present snapshot."""
        version = self.catalogue.version(self.corpus.id)
        with self._lock:
            if self._snapshot is None or self._snapshot.version != version:
                # The version of these titles, which may be a later one: caches go by it.
                version, titles = self.catalogue.ready_version(self.corpus.id)
                self._snapshot = Snapshot(version, titles, partial(self.catalogue.about, self.corpus.id))
            return self._snapshot

    def matching(self, where: Where) -> frozenset[str]:
        """Return the ids of the present documents that a filter leaves; see `snapshot`."""
        return self.snapshot().matching(where)

    def languages(self) -> dict[str, float]:
        """Return the languages of the documents as they are now, with their shares of a sample of chunks."""
        from core.corpora.corpus_languages import languages

        sample = self.chunks.sample(SAMPLE, self.snapshot().documents)
        return languages(passage.text for passage, _ in sample)


def mark_of(corpus: SearchableCorpus) -> str:
    """Return a hash of what is searched: the same documents, cut and embedded alike. Blocks for a moment.

    Raises:
        StoreError: The corpus has been deleted, or the catalogue cannot be read.
    """
    contextual = corpus.corpus.contextual
    written = [contextual.model, contextual.prompt] if contextual else None
    cut = corpus.corpus.embedder, corpus.corpus.chunk_tokens, corpus.corpus.overlap_tokens
    return digest(corpus.snapshot().digest, *cut, written)


class RecordedSearches:
    """Searches of one corpus by way of a recording; what arrives together is looked up together."""

    def __init__(self, recorded: OpenRecording, corpus: SearchableCorpus) -> None:
        self._recorded, self._corpus = recorded, corpus
        self._look_up: Batcher[Sequence[Any], tuple[str, list[Ranking] | None]] = Batcher(
            lambda requests: asyncio.to_thread(self._rankings_of, requests)
        )

    async def rankings(
        self, request: Sequence[Any], search: Callable[[], Awaitable[list[Ranking]]]
    ) -> list[Ranking]:
        """Return the rankings that the recording holds for a search of these documents; else search, and keep them.

        `request` holds everything that the rankings depend on, but for the documents.
        """
        key, played = await self._look_up(request)
        if played:
            return played
        rankings = await search()
        if self._recorded.keeps:
            new = KeptRanking(key=key, lists=tuple(map(_list_of, rankings)))
            (first,) = self._recorded.keep([new])
            if first.lists != new.lists:  # another run was quicker, where vectors differ a little
                return await asyncio.to_thread(self._restore, first) or rankings
        return rankings

    def _rankings_of(self, requests: list[Sequence[Any]]) -> list[tuple[str, list[Ranking] | None]]:
        """Return the key of each search, and the rankings that the recording holds for it."""
        mark = mark_of(self._corpus)
        keys = [digest("ranking", mark, *request) for request in requests]
        stored = self._recorded.rankings(keys)
        return [(key, self._restore(stored[key]) if key in stored else None) for key in keys]

    def _restore(self, stored: KeptRanking) -> list[Ranking] | None:
        """Return the rankings with their passages; None: the corpus lacks one."""
        wanted = dict.fromkeys(hit.chunk for ranking in stored.lists for hit in ranking.hits)
        passages = self._corpus.chunks.chunks(list(wanted)) if wanted else {}
        if wanted.keys() - passages.keys():
            return None
        return [
            Ranking(
                **ranking.model_dump(exclude={"hits"}),
                recorded=self._recorded.recording.name,
                hits=tuple(
                    Hit(rank=rank, score=hit.score, passage=passages[hit.chunk])
                    for rank, hit in enumerate(ranking.hits, 1)
                ),
            )
            for ranking in stored.lists
        ]


def _list_of(ranking: Ranking) -> KeptList:
    hits = tuple(KeptHit(chunk=hit.passage.chunk, score=hit.score) for hit in ranking.hits)
    return KeptList(**{name: getattr(ranking, name) for name in KeptList.model_fields} | {"hits": hits})
