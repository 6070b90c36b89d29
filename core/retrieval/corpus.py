"""The documents of a corpus that may be searched at the moment."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.filtering import FieldValues, Where, fields_of, matching

if TYPE_CHECKING:
    from core.corpora.about import About
    from core.corpora.catalogue import Catalogue
    from core.corpora.entries import Corpus
    from core.retrieval.links import Told
    from core.trace.passages import Passage

SAMPLE = 200
"""Number of chunks from which the languages of a corpus are detected."""


KEPT_FILTERS = 16
"""Filters whose documents stay in memory."""


@dataclass(frozen=True)
class Snapshot:
    """The documents that are ready in one version of the corpus."""

    version: int
    documents: frozenset[str]
    titles: dict[str, str]
    """Id -> the document's own title; empty where it has none."""

    @cached_property
    def digest(self) -> str:
        """A hash of the documents, whose ids are hashes of what they say."""
        return hashlib.sha256("\n".join(sorted(self.documents)).encode()).hexdigest()


class EntitySource(Protocol):
    """The graphs that were built from corpora. Calls block."""

    def mark(self, corpus: Corpus) -> str:
        """Which graphs there are of a corpus: another one when they have changed; empty: none. Fast.

        Raises:
            StoreError: The catalogue cannot be read.
        """

    def told(self, corpus: Corpus, passages: Sequence[Passage]) -> Told:
        """The entities of these graphs, and which of the corpus's passages tell of them.

        Raises:
            ServiceError, StoreError: The graph server or the catalogue fails.
        """


class SearchableCorpus:
    """A corpus, as it was when it was opened, with its chunks on the Chroma server with the URL `vectors`.

    Documents that are still being indexed, or removed, are never searched.
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
        self._about: tuple[int, dict[str, About]] | None = None
        self._fields: tuple[tuple[int, Where], tuple[FieldValues, ...]] | None = None
        self._matching: dict[tuple[int, Where], frozenset[str]] = {}
        self._lock = threading.Lock()

    @property
    def chunks(self) -> ChunkStore:
        """Its chunks; the first use imports Chroma's client, asks the server, and blocks as long.

        Raises:
            ServiceError: The Chroma server does not answer.
            StoreError: The server does not hold the corpus.
        """
        with self._opening:
            if self._chunks is None:
                self._chunks = ChunkStore(open_vectors(self._vectors), self.corpus)
            return self._chunks

    @property
    def known(self) -> Snapshot | None:
        """The latest snapshot; None: none has been taken."""
        return self._snapshot

    def snapshot(self) -> Snapshot:
        """The present snapshot; blocks for a moment.

        Raises:
            StoreError: The corpus has been deleted, or the catalogue cannot be read.
        """
        version = self.catalogue.version(self.corpus.id)
        with self._lock:
            if self._snapshot is None or self._snapshot.version != version:
                titles = self.catalogue.ready(self.corpus.id)
                self._snapshot = Snapshot(version, frozenset(titles), titles)
            return self._snapshot

    def about(self, snapshot: Snapshot | None = None) -> dict[str, About]:
        """What is known about each document of a snapshot, or of the present one; blocks for a moment.

        Raises:
            StoreError: The corpus has been deleted, or the catalogue cannot be read.
        """
        wanted = snapshot or self.snapshot()
        kept = self._about
        if kept is None or kept[0] != wanted.version:
            found = self.catalogue.about(self.corpus.id)
            kept = self._about = wanted.version, {one: found[one] for one in wanted.documents & found.keys()}
        return kept[1]

    def matching(self, where: Where, snapshot: Snapshot | None = None) -> frozenset[str]:
        """The documents of a snapshot, or of the present one, that a filter leaves; see `about`."""
        wanted = snapshot or self.snapshot()
        if not where:
            return wanted.documents
        key = wanted.version, where
        found = self._matching.get(key)
        if found is None:
            found = matching(where, self.about(wanted))
            with self._lock:
                while len(self._matching) >= KEPT_FILTERS:
                    del self._matching[next(iter(self._matching))]
                self._matching[key] = found
        return found

    def fields(self, where: Where = ()) -> tuple[FieldValues, ...]:
        """By what a further filter can tell the present documents apart that a filter leaves; see `about`."""
        snapshot = self.snapshot()
        key = snapshot.version, where
        if self._fields is None or self._fields[0] != key:
            chosen = self.matching(where, snapshot)
            known = (about for document, about in self.about(snapshot).items() if document in chosen)
            self._fields = key, fields_of(known)
        return self._fields[1]

    def languages(self) -> dict[str, float]:
        """The languages of the documents as they are now, with their shares of a sample of chunks; blocks for a moment.

        Raises:
            StoreError, ServiceError: The corpus has been deleted, or Chroma or the catalogue fails.
        """
        from core.corpora.corpus_languages import languages

        sample = self.chunks.sample(SAMPLE, self.snapshot().documents)
        return languages(passage.text for passage, _ in sample)
