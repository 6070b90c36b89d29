"""The corpora as one process works with them: searching, indexing, and what is there."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

from core.corpora.catalogue import Catalogue
from core.corpora.demo import DEMO_CORPUS, ensure_demo
from core.corpora.entries import Corpus
from core.corpora.ingestion import ingest
from core.corpora.reports import IndexReport
from core.corpora.sources import Source
from core.retrieval.searcher import Searcher, open_searcher
from core.runs.engines import Engines
from core.runs.indexing import IndexJob

KEPT_SEARCHERS = 32
"""Corpora, each with a kind of retrieval, that stay open between runs."""


class Library:
    """Catalogue, retrievers and indexing jobs of one process; thread-safe."""

    def __init__(self, engines: Engines) -> None:
        self.engines = engines
        self.settings = engines.settings
        self._searchers: dict[tuple[str, str, str], Searcher] = {}
        self._indexing: dict[str, IndexJob] = {}
        self._lock = threading.Lock()
        self._catalogue: Catalogue | None = None

    @property
    def catalogue(self) -> Catalogue:
        """Corpora and documents."""
        # Without a lock: while a database server does not answer, everybody waits, but not one after the other.
        if self._catalogue is None:
            self._catalogue = Catalogue(self.settings.database)
        return self._catalogue

    async def searcher(self, corpus: str | None, retriever: str) -> Searcher:
        """The retriever over a corpus.

        Raises:
            InputError: There is no such corpus, or it was indexed with another embedding model.
        """
        catalogue = await self._opened()
        found = await asyncio.to_thread(catalogue.corpus, corpus or "")
        url = await self.engines.vectors_url()
        key = (found.id, retriever, url)
        if key not in self._searchers:
            while len(self._searchers) >= KEPT_SEARCHERS:
                del self._searchers[next(iter(self._searchers))]
            self._searchers[key] = await open_searcher(
                catalogue, url, self.engines.embedder, found.name, retriever
            )
        return self._searchers[key]

    def corpora(self) -> list[Corpus]:
        """Every corpus, with its number of documents and chunks and its example questions."""
        return self.catalogue.corpora()

    def index(self, files: Sequence[Source], corpus: str) -> IndexJob:
        """Index documents into a corpus in the background; the corpus is made if there is none of that name."""

        async def work(report: Any) -> IndexReport:
            return await ingest(
                files,
                corpus,
                catalogue=await self._opened(),
                vectors=await self.engines.vectors_url(),
                embedder=self.engines.embedder,
                max_mb=self.settings.max_upload_mb,
                progress=report,
            )

        return IndexJob(work)

    def demo(self) -> IndexJob:
        """Make the demo corpus ready, once per process however often it is asked for."""

        async def work(report: Any) -> IndexReport:
            catalogue, url = await self._opened(), await self.engines.vectors_url()
            return await ensure_demo(catalogue, url, self.engines.embedder, self.settings, report)

        with self._lock:
            job = self._indexing.get(DEMO_CORPUS)
            if job is None or job.error() is not None:
                job = self._indexing[DEMO_CORPUS] = IndexJob(work)
            return job

    async def _opened(self) -> Catalogue:
        """The catalogue, opened in a thread: a database server that does not answer must not stop the loop."""
        return await asyncio.to_thread(lambda: self.catalogue)
