"""Vectors of queries, each embedded once: several strategies ask the same question, and a fan-out repeats it."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from core.models.vectors import Embeddings

KEPT = 256
"""Queries whose vectors stay in memory: about 7 MB with the built-in model."""

Vectors = list[list[float]]


class QueryVectors:
    """Embeds queries in threads of its own, so that a question never waits behind an ingestion. Thread-safe."""

    def __init__(self, embeddings: Embeddings, *, threads: int, together: bool) -> None:
        """
        Args:
            embeddings: The model.
            threads: Requests, or with the built-in model texts, under way at once.
            together: Whether queries that come together go out in one request.
        """
        self._embeddings = embeddings
        self._together = together
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="rag-loupe-query")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[Future[Vectors], int]] = OrderedDict()
        """Query -> the work that embeds it, and its place in that work's result."""

    def expect(self, queries: Iterable[str]) -> list[tuple[Future[Vectors], int]]:
        """Begin to embed what is not embedded yet; returns at once."""
        with self._lock:
            wanted = list(queries)
            fresh = [query for query in dict.fromkeys(wanted) if not self._usable(query)]
            for group in [fresh] if self._together and fresh else [[query] for query in fresh]:
                work = self._pool.submit(self._embed, group)
                self._known.update({query: (work, place) for place, query in enumerate(group)})
            found = [self._known[query] for query in wanted]
            for query in wanted:
                self._known.move_to_end(query)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return found

    async def vectors(self, queries: Sequence[str]) -> Vectors:
        """One vector per query, in their order.

        Raises:
            ModelError: The endpoint does not answer as it should.
        """
        found = self.expect(queries)
        for work, _ in found:
            if not work.done():
                # Shielded: another run may wait for the same vector when this one is stopped.
                await asyncio.shield(asyncio.wrap_future(work))
        return [work.result()[place] for work, place in found]

    def _usable(self, query: str) -> bool:
        work, _ = self._known.get(query, (None, 0))
        return work is not None and not (work.done() and work.exception())

    def _embed(self, queries: list[str]) -> Vectors:
        if self._together:
            return self._embeddings.embed_documents(queries)
        return [self._embeddings.embed_query(query) for query in queries]
