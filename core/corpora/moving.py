"""Moving documents that were added to a corpus that comes with the app into a corpus of their own.

Until the new corpus has a document ready, the old one keeps it: killed at any point, the move is done again from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from core.corpora.catalogue import MAX_NAME, Catalogue, CorpusDeleted, NameTaken
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.entries import Corpus, Entry
from core.corpora.ingestion import tidy
from core.corpora.stores import CorpusStores
from core.corpora.writing import uninterrupted, writing
from core.errors import StoreError

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

ADDED_TO = "Added to "
"""Beginning of the new corpus's name."""
_PORTION = 50
"""Number of documents that are moved together."""


async def move_added(corpus: Corpus, own: Collection[str], stores: CorpusStores) -> Corpus | None:
    """Move the documents of a corpus that are not its own; nothing is embedded again.

    Args:
        corpus: The corpus that comes with the app.
        own: Ids of its own documents.
        stores: Where both corpora are kept.

    Returns:
        The corpus that holds the moved documents; None: there was nothing to move.

    Raises:
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    catalogue = stores.catalogue
    if not await asyncio.to_thread(_added, catalogue, corpus, own):
        return None
    client = await asyncio.to_thread(open_vectors, stores.vectors)
    with suppress(CorpusDeleted):  # another process makes it anew, and has moved the documents
        async with writing(catalogue, corpus.id) as writer:
            added = await asyncio.to_thread(_added, catalogue, corpus, own)
            try:
                store = await uninterrupted(ChunkStore, client, corpus)
            except StoreError:  # its chunks are on no server any more: there is nothing that could be moved
                return None
            if not added:
                return None
            target = await _copied(catalogue, corpus, store, added, client)
            await uninterrupted(catalogue.finish, corpus.id, writer, [], [entry.id for entry in added])
            await uninterrupted(tidy, catalogue, corpus, store)
            return target
    return None


async def _copied(
    catalogue: Catalogue, corpus: Corpus, store: ChunkStore, added: Sequence[Entry], client: ClientAPI
) -> Corpus:
    """The corpus that holds these documents too."""
    while True:
        target = await uninterrupted(_target, catalogue, corpus)
        with suppress(CorpusDeleted):  # it was cleared away a moment ago, since nothing in it was finished
            async with writing(catalogue, target.id) as writer:
                target_store = await uninterrupted(ChunkStore, client, target, create=True)
                there = {entry.id for entry in await uninterrupted(tidy, catalogue, target, target_store)}
                missing = [entry for entry in added if entry.id not in there]
                for start in range(0, len(missing), _PORTION):
                    portion = missing[start : start + _PORTION]
                    ids = [entry.id for entry in portion]
                    await uninterrupted(catalogue.adopt, target.id, portion)
                    await uninterrupted(store.copy, ids, target_store)
                    await uninterrupted(catalogue.finish, target.id, writer, ids, [])
            return target


def _added(catalogue: Catalogue, corpus: Corpus, own: Collection[str]) -> Sequence[Entry]:
    return [entry for entry in catalogue.documents(corpus.id) if entry.ready and entry.id not in own]


def _target(catalogue: Catalogue, corpus: Corpus) -> Corpus:
    """The corpus that an earlier move made, if its vectors are of the same kind, or a new corpus under a free name."""
    there = catalogue.corpora()
    for other in there:
        if other.moved_from == corpus.name and other.indexing == corpus.indexing:
            return other
    for number in count(1):
        mark = f" ({number})" if number > 1 else ""
        name = f"{ADDED_TO}{corpus.name}"[: MAX_NAME - len(mark)] + mark
        with suppress(NameTaken):
            return catalogue.create(
                name,
                corpus.embedder,
                corpus.embedder_name,
                corpus.chunk_tokens,
                corpus.overlap_tokens,
                moved_from=corpus.name,
            )
    raise AssertionError("there is always another number")
