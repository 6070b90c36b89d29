"""Indexing documents: read, split, embed, write; atomic per document, and safe to stop or kill at any time.

A document is noted as pending before its first chunk is written and becomes ready after its last one.
Searches see ready documents only, and the next import removes what a killed one left behind.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress

from core.corpora.catalogue import (
    Catalogue,
    CorpusDeleted,
    CorpusStores,
    NameTaken,
    UnknownCorpus,
    check_model,
)
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.contexts import ContextWriter, check_contexts, with_contexts
from core.corpora.entries import Contextual, Corpus, DocumentEntry, chunk_sizes
from core.corpora.gathering import Gathering, ImportItem, file_items
from core.corpora.pipeline import Pipeline
from core.corpora.reports import IndexReport, Progress, Tracker
from core.corpora.sources import DocumentSource, expand
from core.corpora.writing import HOLD_SECONDS, uninterrupted, writing
from core.errors import InputError, LoupeError
from core.users import TEACHER, User

How = tuple[tuple[int, int], Contextual | None]
"""Size and overlap of the chunks of a corpus, and who writes contexts for them."""


async def ingest(
    sources: Sequence[DocumentSource],
    corpus: str,
    stores: CorpusStores,
    *,
    max_mb: int,
    chunk_tokens: int | None = None,
    overlap_tokens: int | None = None,
    contexts: ContextWriter | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    by: User = TEACHER,
) -> IndexReport:
    """Index files into a corpus, which is made if it does not exist.

    Files that are indexed already with the same bytes are left alone. A document with the name of an indexed
    document replaces it once the new one is ready. After a cancellation, finished documents stay indexed.

    Args:
        sources: Uploads, files, folders.
        corpus: Name of the corpus.
        stores: Where the corpus is kept.
        max_mb: Largest file, in megabytes.
        chunk_tokens: Chunk size of a new corpus; an existing corpus keeps its own. None: the usual size.
        overlap_tokens: Overlap of the chunks of a new corpus; None: the usual overlap.
        contexts: Writes a context for each chunk of a new corpus; None: there will be none. An existing corpus stays
            as it is: one with contexts needs the same model, one without gets none.
        progress: Called with the progress, on the event loop.
        by: The user who imports. They own a new corpus, and must own an existing one.

    Raises:
        InputError: The name or a size is unfit, a path does not exist, or the corpus has another embedding model.
        NotAllowed: The corpus is somebody else's.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    files = await asyncio.to_thread(expand, sources)
    return await ingest_items(
        await asyncio.to_thread(file_items, files, max_mb),
        corpus,
        stores,
        chunk_tokens=chunk_tokens,
        overlap_tokens=overlap_tokens,
        contexts=contexts,
        progress=progress,
        by=by,
    )


async def ingest_items(
    items: Sequence[ImportItem],
    corpus: str,
    stores: CorpusStores,
    *,
    chunk_tokens: int | None = None,
    overlap_tokens: int | None = None,
    contexts: ContextWriter | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    by: User = TEACHER,
) -> IndexReport:
    """Index items of any origin; see `ingest`."""
    started = time.monotonic()
    catalogue, embedder = stores.catalogue, stores.embedder
    sizes = chunk_sizes(embedder.max_tokens, chunk_tokens, overlap_tokens)
    client = await asyncio.to_thread(open_vectors, stores.vectors)
    tracker = Tracker(progress, len(items), sum(item.size for item in items))
    async with AsyncExitStack() as stack:
        contextual = contexts.kind if contexts else None
        target, writer = await _claim(stack, stores, corpus, (sizes, contextual), by)
        check_contexts(target, contexts)
        store = await uninterrupted(ChunkStore, client, target, create=True)
        try:
            entries = await uninterrupted(tidy, catalogue, target, store)
            gathering = Gathering(items, target, entries, embedder, tracker)
            pipeline = Pipeline(target, writer, catalogue, store, embedder, tracker)
            works = gathering.works()
            if contexts is not None and target.contextual is not None:
                works = with_contexts(works, contexts, gathering.skipped, tracker)
            async with aclosing(works):
                await pipeline.run(works)
        finally:
            with suppress(LoupeError):  # the next import does it
                await uninterrupted(tidy, catalogue, target, store)
                if not await asyncio.to_thread(catalogue.ready, target.id):
                    await uninterrupted(_remove, catalogue, target, store)
    return IndexReport(
        corpus=target.name,
        documents=tracker.now.documents,
        chunks=tracker.now.chunks,
        unchanged=gathering.unchanged,
        skipped=tuple(gathering.skipped),
        seconds=round(time.monotonic() - started, 3),
        contexts=contexts.report if contexts and target.contextual else None,
    )


async def remove_corpus(corpus: Corpus, stores: CorpusStores, patience: float | None = None) -> None:
    """Delete a corpus with all its documents and chunks; for `patience` see `writing`.

    Raises:
        InputError: Documents are being added to it.
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    catalogue = stores.catalogue
    async with _written(stores, corpus, patience) as (writer, store):
        # Emptied first: if this process is killed in between, what is left is an empty corpus, not a broken one.
        ready = await asyncio.to_thread(catalogue.ready, corpus.id)
        await uninterrupted(catalogue.finish, corpus.id, writer, [], list(ready))
        await uninterrupted(_remove, catalogue, corpus, store)


async def remove_documents(
    corpus: Corpus, ids: Iterable[str], stores: CorpusStores, patience: float | None = None
) -> int:
    """Delete the documents with these ids, and return how many of them there were; for `patience` see `writing`.

    The corpus stays, even if it is empty. Raises as `remove_corpus`.
    """
    catalogue = stores.catalogue
    async with _written(stores, corpus, patience) as (writer, store):
        ready = await asyncio.to_thread(catalogue.ready, corpus.id)
        chosen = [document for document in dict.fromkeys(ids) if document in ready]
        # No search finds them from here on. After a kill, the next import removes the rest.
        await uninterrupted(catalogue.finish, corpus.id, writer, [], chosen)
        await uninterrupted(tidy, catalogue, corpus, store)
    return len(chosen)


async def clear_up(stores: CorpusStores) -> int:
    """Remove what killed imports left behind, and return the number of documents.

    A corpus with an import under way is left alone; a corpus without any finished document is deleted.

    Raises:
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    removed, catalogue = 0, stores.catalogue
    for corpus in await asyncio.to_thread(catalogue.corpora):
        entries = await asyncio.to_thread(catalogue.documents, corpus.id)
        if all(entry.ready for entry in entries):
            continue
        with suppress(InputError, CorpusDeleted):  # an import is under way
            async with _written(stores, corpus, HOLD_SECONDS + 1) as (_, store):
                remaining = await uninterrupted(tidy, catalogue, corpus, store)
                if not remaining:
                    await uninterrupted(_remove, catalogue, corpus, store)
                removed += len(entries) - len(remaining)
    return removed


@asynccontextmanager
async def _written(
    stores: CorpusStores, corpus: Corpus, patience: float | None
) -> AsyncIterator[tuple[str, ChunkStore]]:
    """Be the only writer of a corpus, see `writing`: the name under which it is held, and its chunks."""
    client = await asyncio.to_thread(open_vectors, stores.vectors)
    async with writing(stores.catalogue, corpus.id, patience) as writer:
        yield writer, await uninterrupted(ChunkStore, client, corpus, create=True)


async def _claim(
    stack: AsyncExitStack, stores: CorpusStores, name: str, how: How, by: User
) -> tuple[Corpus, str]:
    """Return the corpus, made if need be, and the name under which it is held as its only writer."""
    while True:
        corpus = await asyncio.to_thread(_open, stores, name, how, by)
        # An import that finished nothing removes the corpus that it made. An import that waited for it makes it again.
        with suppress(CorpusDeleted):
            return corpus, await stack.enter_async_context(writing(stores.catalogue, corpus.id))


def _open(stores: CorpusStores, name: str, how: How, by: User) -> Corpus:
    catalogue, embedder, (sizes, contextual) = stores.catalogue, stores.embedder, how
    while True:
        try:
            return catalogue.create(
                name, embedder.key, embedder.name, *sizes, owner=by.owner, contextual=contextual
            )
        except NameTaken:
            with suppress(UnknownCorpus):  # it was removed a moment ago, so it is made after all
                corpus = catalogue.corpus(name)
                by.check(corpus.owner, corpus.name)
                check_model(corpus, embedder)
                return corpus


def tidy(catalogue: Catalogue, corpus: Corpus, store: ChunkStore) -> list[DocumentEntry]:
    """Remove documents that are not ready, or all if the collection is new, and return the remaining entries.

    Only the corpus's writer may call this.
    """
    entries = catalogue.documents(corpus.id)
    stale = [entry.id for entry in entries if store.is_new or not entry.ready]
    store.is_new = False
    if stale:
        store.remove(stale)
        catalogue.forget(corpus.id, stale)
    return [entry for entry in entries if entry.id not in set(stale)]


def _remove(catalogue: Catalogue, corpus: Corpus, store: ChunkStore) -> None:
    store.drop()
    catalogue.delete(corpus.id)
