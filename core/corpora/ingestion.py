"""Indexing documents: read, split, embed, write; atomic per document, and safe to stop or kill at any time.

A document is noted as pending before its first chunk is written and becomes ready after its last one.
Searches see ready documents only, and the next import removes what a killed one left behind.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.corpora.catalogue import Catalogue, NameTaken
from core.corpora.entries import Corpus, Entry
from core.corpora.gathering import Work, gather
from core.corpora.reports import IndexReport, Progress, Tracker
from core.corpora.sources import Source, expand
from core.corpora.splitting import (
    DEFAULT_CHUNK_TOKENS,
    DEFAULT_OVERLAP_TOKENS,
    embedded_text,
    short_title,
)
from core.corpora.vectors import ChunkStore, open_vectors
from core.corpora.writing import uninterrupted, writing
from core.errors import InputError, LoupeError

if TYPE_CHECKING:
    from core.models.embeddings import Embedder

__all__ = ["IndexReport", "Progress", "check_model", "ingest", "remove_corpus"]

_GROUP = 64
"""Chunks that small documents are grouped to before they become ready together."""
_BATCH = 16
"""Chunks embedded and written at a time: the grain of progress and of stopping."""


@dataclass(frozen=True)
class _Import:
    corpus: Corpus
    writer: str
    catalogue: Catalogue
    store: ChunkStore
    embedder: Embedder
    tracker: Tracker


async def ingest(
    sources: Sequence[Source],
    corpus: str,
    *,
    catalogue: Catalogue,
    vectors: str,
    embedder: Embedder,
    max_mb: int,
    chunk_tokens: int = DEFAULT_CHUNK_TOKENS,
    overlap_tokens: int = DEFAULT_OVERLAP_TOKENS,
    progress: Callable[[Progress], None] = lambda _: None,
) -> IndexReport:
    """Index files into a corpus, which is made if it does not exist.

    What is there already with the same bytes is left alone. A document with the name of an indexed one
    replaces it once the new one is ready. If this is cancelled, finished documents stay indexed.

    Args:
        sources: Uploads, files, folders.
        corpus: Name of the corpus.
        catalogue: Where it is noted.
        vectors: URL of the Chroma server.
        embedder: Embeds the chunks; must be the one the corpus was made with.
        max_mb: Largest file, in megabytes.
        chunk_tokens: Chunk size, for a new corpus; an existing one keeps its own.
        overlap_tokens: Overlap, likewise.
        progress: Told how far it is; called on the event loop.

    Raises:
        InputError: The name is unfit, a path does not exist, or the corpus has another embedding model.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    started = time.monotonic()
    files = await asyncio.to_thread(expand, sources)
    client = await asyncio.to_thread(open_vectors, vectors)
    target = await asyncio.to_thread(_open, catalogue, corpus, embedder, chunk_tokens, overlap_tokens)
    tracker = Tracker(progress, len(files))
    async with writing(catalogue, target.id) as writer:
        store = await uninterrupted(ChunkStore, client, target, create=True)
        work = _Import(target, writer, catalogue, store, embedder, tracker)
        try:
            entries = await uninterrupted(_tidy, catalogue, target, store)
            gathered = await gather(files, target, entries, embedder, max_mb, tracker)
            for group in _groups(gathered.works):
                await _index(work, group)
        finally:
            with suppress(LoupeError):  # the next import does it
                await uninterrupted(_tidy, catalogue, target, store)
                if not await asyncio.to_thread(catalogue.ready, target.id):
                    await uninterrupted(_remove, catalogue, target, store)
    return IndexReport(
        corpus=target.name,
        documents=tracker.now.documents,
        chunks=tracker.now.chunks,
        unchanged=gathered.unchanged,
        skipped=tuple(gathered.skipped),
        seconds=round(time.monotonic() - started, 3),
    )


async def remove_corpus(corpus: Corpus, *, catalogue: Catalogue, vectors: str) -> None:
    """Delete a corpus with all its documents and chunks.

    Raises:
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    client = await asyncio.to_thread(open_vectors, vectors)
    async with writing(catalogue, corpus.id):
        store = await uninterrupted(ChunkStore, client, corpus, create=True)
        await uninterrupted(_remove, catalogue, corpus, store)


def check_model(corpus: Corpus, embedder: Embedder) -> None:
    """Refuse to mix vectors of two models.

    Raises:
        InputError: The corpus is indexed with another embedding model.
    """
    if corpus.embedder != embedder.key:
        raise InputError(
            f"“{corpus.name}” is indexed with the embedding model “{corpus.embedder_name}”, but "
            f"“{embedder.name}” is in use. Switch back to it, or index the documents as another corpus."
        )


def _open(
    catalogue: Catalogue, name: str, embedder: Embedder, chunk_tokens: int, overlap_tokens: int
) -> Corpus:
    try:
        corpus = catalogue.create(name, embedder.key, embedder.name, chunk_tokens, overlap_tokens)
    except NameTaken:
        corpus = catalogue.corpus(name)
        check_model(corpus, embedder)
    return corpus


def _tidy(catalogue: Catalogue, corpus: Corpus, store: ChunkStore) -> list[Entry]:
    """Remove what is not ready, or everything if the collection is new; the entries that remain."""
    entries = catalogue.documents(corpus.id)
    gone = [entry.id for entry in entries if store.is_new or not entry.ready]
    store.is_new = False
    if gone:
        store.remove(gone)
        catalogue.forget(corpus.id, gone)
    return [entry for entry in entries if entry.id not in set(gone)]


def _remove(catalogue: Catalogue, corpus: Corpus, store: ChunkStore) -> None:
    store.drop()
    catalogue.delete(corpus.id)


def _groups(works: Sequence[Work]) -> Iterator[list[Work]]:
    """Documents in order, small ones together: each group costs a few round trips."""
    group: list[Work] = []
    for work in works:
        group.append(work)
        if sum(len(item.passages) for item in group) >= _GROUP:
            yield group
            group = []
    if group:
        yield group


async def _index(job: _Import, group: Sequence[Work]) -> None:
    pending = [(work.document, len(work.passages)) for work in group]
    await uninterrupted(job.catalogue.begin, job.corpus.id, pending)
    titles = {
        work.document.id: short_title(work.document.title, job.embedder.tokenizer, job.embedder.max_tokens)
        for work in group
    }
    passages = [passage for work in group for passage in work.passages]
    for start in range(0, len(passages), _BATCH):
        batch = passages[start : start + _BATCH]
        job.tracker.update(stage="indexing", current=batch[0].title)
        texts = [embedded_text(titles[passage.document], passage.text) for passage in batch]
        vectors = await job.embedder.embed_documents(texts)
        await uninterrupted(job.store.add, batch, vectors)
        job.tracker.update(chunks=job.tracker.now.chunks + len(batch))
    ready = [work.document.id for work in group]
    retired = [work.replaces for work in group if work.replaces is not None]
    await uninterrupted(job.catalogue.finish, job.corpus.id, job.writer, ready, retired)
    job.tracker.update(documents=job.tracker.now.documents + len(group))
