"""A catalogue of its own on a shared Chroma server, and documents to fill it with."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.corpora.catalogue import Catalogue, CorpusStores
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.ingestion import ingest
from core.corpora.reports import IndexReport, Progress
from core.corpora.sources import Source
from core.models.embeddings import Embedder
from core.retrieval.retriever import Retriever, find_retriever
from core.trace.artefacts import Ranking
from tests.embedder import WordCounts, word_counts
from tests.patience import Patience

SHIP = ("ship.md", b"# The ship\n\nThe ship left the harbour at dawn.")
WREN = ("wren.txt", b"The wren is a small brown bird. It sings in winter.")
OAK = ("oak.txt", b"The oak is a tree. Its acorns feed the jay.")


async def opened(stores: CorpusStores, corpus: str, kind: str) -> Retriever:
    """A retriever that has asked Chroma for its corpus."""
    retriever = await find_retriever(stores, corpus, kind)
    await asyncio.to_thread(lambda: retriever.searchable.chunks)
    return retriever


class Bench:
    """A catalogue of its own on the shared server."""

    def __init__(self, folder: Path, vectors: str) -> None:
        self.catalogue = Catalogue(f"sqlite:///{folder / 'catalogue.sqlite'}")
        self.vectors = vectors
        self.embedder = word_counts()
        self.seen: list[Progress] = []

    @property
    def stores(self) -> CorpusStores:
        return CorpusStores(self.catalogue, self.vectors, self.embedder)

    async def index(
        self, *sources: Source, embedder: Embedder | None = None, max_mb: int = 25
    ) -> IndexReport:
        self.seen.clear()
        return await ingest(
            sources,
            "notes",
            replace(self.stores, embedder=embedder or self.embedder),
            max_mb=max_mb,
            progress=self.seen.append,
        )

    async def open(self, kind: str = "dense") -> Retriever:
        return await opened(self.stores, "notes", kind)

    async def search(self, query: str, kind: str = "dense", k: int = 4) -> Ranking:
        return await (await self.open(kind)).search(query, k)

    def store(self) -> ChunkStore:
        return ChunkStore(open_vectors(self.vectors), self.catalogue.corpus("notes"))

    def chunks(self) -> int:
        """Chunks on the server, searchable or not."""
        return open_vectors(self.vectors).get_collection(self.store().name).count()


def names(ranking: Ranking) -> list[str]:
    return [hit.passage.title for hit in ranking.hits]


def long_text(word: str, sentences: int = 300) -> bytes:
    return " ".join(f"The {word} number {number} stands by the road." for number in range(sentences)).encode()


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that has to come."""
    patience = Patience()
    while not true():
        patience.ask("It did not come.")
        await asyncio.sleep(0.01)


class Held(WordCounts):
    """Embeds so many chunks; what comes after waits until it is let go."""

    def __init__(self, chunks: int = 80) -> None:
        super().__init__()
        self.chunks = chunks
        self.go = threading.Event()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if len(self.embedded) >= self.chunks:
            assert self.go.wait(120), "nobody let it go"
        return super().embed_documents(texts)


class Slow(WordCounts):
    """Takes its time for one word."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if any("slow" in text for text in texts):
            time.sleep(0.1)
        return super().embed_documents(texts)
