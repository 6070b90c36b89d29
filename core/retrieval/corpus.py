"""The documents of a corpus that may be searched at the moment."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Protocol

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.filtering import FieldValues, Where, fields_of, matching

if TYPE_CHECKING:
    from core.corpora.about import About
    from core.corpora.catalogue import Catalogue
    from core.corpora.entries import Corpus
    from core.retrieval.links import EntityQuotes
    from core.trace.passages import Passage

SAMPLE = 200
"""Number of chunks from which the languages of a corpus are detected."""
KEPT_FILTERS = 16
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
        """All that is known about each document."""
        return {document: about for document, about in self.read().items() if document in self.documents}

    @cached_property
    def matching(self) -> Callable[[Where], frozenset[str]]:
        """Ids of the documents that a filter leaves; those of the last filters are kept."""
        kept = lru_cache(KEPT_FILTERS)(lambda where: matching(where, self.about))
        return lambda where: kept(where) if where else self.documents

    @cached_property
    def fields(self) -> Callable[[Where], tuple[FieldValues, ...]]:
        """The fields by which a further filter can tell the documents apart that a filter leaves."""

        @lru_cache(1)
        def fields(where: Where) -> tuple[FieldValues, ...]:
            chosen = self.matching(where)
            return fields_of(about for document, about in self.about.items() if document in chosen)

        return fields


class EntitySource(Protocol):
    """The graphs that were built from corpora. Calls block."""

    def mark(self, corpus: Corpus) -> str:
        """A mark of the graphs of a corpus, which changes when they do; empty: there are none. Fast.

        Raises:
            StoreError: The catalogue cannot be read.
        """

    def told(self, corpus: Corpus, passages: Sequence[Passage]) -> EntityQuotes:
        """The entities of these graphs, and which of the corpus's passages tell of them.

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
        """Where its documents are listed."""
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
        """The present snapshot."""
        version = self.catalogue.version(self.corpus.id)
        with self._lock:
            if self._snapshot is None or self._snapshot.version != version:
                titles, read = self.catalogue.ready(self.corpus.id), self.catalogue.about
                self._snapshot = Snapshot(version, titles, partial(read, self.corpus.id))
            return self._snapshot

    def matching(self, where: Where) -> frozenset[str]:
        """Ids of the present documents that a filter leaves; see `snapshot`."""
        return self.snapshot().matching(where)

    def languages(self) -> dict[str, float]:
        """The languages of the documents as they are now, with their shares of a sample of chunks."""
        from core.corpora.corpus_languages import languages

        sample = self.chunks.sample(SAMPLE, self.snapshot().documents)
        return languages(passage.text for passage, _ in sample)
