"""Indexing a corpus again, with other chunks or another embedding model, beside the old one.

The text of its documents is put together again from their chunks.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.corpora.catalogue import MAX_NAME, Catalogue, CorpusStores, NameTaken, corpus_name
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.contexts import ContextWriter
from core.corpora.documents import Document
from core.corpora.entries import Corpus, DocumentEntry, chunk_sizes
from core.corpora.gathering import ImportItem, Known
from core.corpora.ingestion import ingest_items, remove_corpus
from core.corpora.labels import relabel
from core.corpora.reports import IndexReport, Progress
from core.corpora.writing import uninterrupted, writing
from core.errors import DocumentError, InputError
from core.trace.passages import Passage, gap, text_of
from core.users import TEACHER, User

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

UNFINISHED = " (unfinished)"
"""End of the new corpus's name until all documents are in it."""


async def reindex(
    corpus: Corpus,
    name: str,
    stores: CorpusStores,
    *,
    chunk_tokens: int | None = None,
    overlap_tokens: int | None = None,
    contexts: ContextWriter | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    patience: float | None = None,
    by: User = TEACHER,
) -> IndexReport:
    """Index the documents of a corpus as another one, from the text that its chunks hold.

    The new corpus gets its name when it is complete. If the work is stopped or killed before, the corpus stays as
    “… (unfinished)”, and the same call continues from there.

    Args:
        corpus: The old corpus; it is not changed, and nobody may change it meanwhile.
        name: Name of the new corpus.
        stores: Where both corpora are kept; the embedding model may differ from that of the old corpus.
        chunk_tokens, overlap_tokens, contexts, progress: See `ingest`.
        patience: See `writing`.
        by: The user who asks; they must own the old corpus, and will own the new one.

    Raises:
        NameTaken: There is a corpus of that name.
        NotAllowed: The old corpus is somebody else's.
        InputError: The name or a size is unfit, or documents are being added to the old corpus.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    by.check(corpus.owner, corpus.name)
    catalogue, embedder = stores.catalogue, stores.embedder
    name = corpus_name(name)
    if len(name + UNFINISHED) > MAX_NAME:
        raise InputError(f"Choose a name of at most {MAX_NAME - len(UNFINISHED)} characters.")
    sizes = chunk_sizes(embedder.max_tokens, chunk_tokens, overlap_tokens)
    others = {existing.name: existing for existing in await asyncio.to_thread(catalogue.corpora)}
    if name in others:
        raise NameTaken(f"There is already a corpus named “{name}”. Choose another name.")
    started = others.get(name + UNFINISHED)
    if started is not None:
        by.check(started.owner, started.name)
    # Another user's unfinished corpus of this name may hold other documents than the old corpus.
    indexing = (embedder.key, *sizes, contexts.kind if contexts else None)
    if started is not None and (started.indexing, started.owner) != (indexing, by.owner):
        await remove_corpus(started, stores, patience)
    client = await asyncio.to_thread(open_vectors, stores.vectors)
    async with writing(catalogue, corpus.id, patience):
        store = await uninterrupted(ChunkStore, client, corpus)
        entries = await asyncio.to_thread(catalogue.documents, corpus.id)
        report = await ingest_items(
            rebuilt_items(entries, store),
            name + UNFINISHED,
            stores,
            chunk_tokens=sizes[0],
            overlap_tokens=sizes[1],
            contexts=contexts,
            progress=progress,
            by=by,
        )
        await uninterrupted(_complete, catalogue, client, corpus, name)
    return report.model_copy(update={"corpus": name})


def _complete(catalogue: Catalogue, client: ClientAPI, old: Corpus, name: str) -> None:
    new = catalogue.corpus(name + UNFINISHED)
    (questions,) = (corpus.questions for corpus in catalogue.corpora() if corpus.id == old.id)
    if any(question.evidence for question in questions):  # its passages are others now
        passages = ChunkStore(client, new).passages(frozenset(catalogue.ready(new.id)))
        questions = relabel(questions, passages)
    catalogue.set_questions(new.id, questions)
    catalogue.rename(new.id, name)


def rebuild(entry: DocumentEntry, passages: Iterable[Passage]) -> Document:
    """Return the document of an entry as its loader delivered it, up to white space, from all its chunks.

    Offsets stay as they were; see `core.trace.passages.text_of`. Pages and headings begin where the first chunk begins
    that names them, which is where they began or shortly after.
    """
    chunks = sorted(passages, key=lambda passage: passage.position)
    text = text_of(chunks)
    pages: list[int] = []
    headings: list[tuple[int, str]] = []
    for chunk in chunks:
        if chunk.page is not None:
            # A page on which no chunk begins begins with the next one that is known.
            pages.extend([chunk.start] * (chunk.page - len(pages)))
        if chunk.heading and (not headings or headings[-1][1] != chunk.heading):
            headings.append((chunk.start, chunk.heading))
    return Document(
        id=entry.id,
        name=entry.name,
        title=entry.title,
        text=text + gap(entry.characters - len(text)),
        pages=tuple(pages),
        headings=tuple(headings),
        key=entry.key,
        about=entry.about,
        reader=entry.reader,
    )


def rebuilt_items(entries: Sequence[DocumentEntry], store: ChunkStore) -> list[ImportItem]:
    """Return documents of one corpus as items to be indexed into another one."""
    return [
        ImportItem(entry.name, entry.characters, partial(_read, entry, store))
        for entry in entries
        if entry.ready
    ]


def _read(
    entry: DocumentEntry, store: ChunkStore, known: Known, _cancel: threading.Event | None
) -> list[Document] | None:
    if known.get(entry.id) == entry.name:
        return None
    passages = store.document(entry.id)
    if len(passages) != entry.chunks:
        raise DocumentError(
            f"“{entry.name}” is not complete in its index any more. Add the file again instead."
        )
    return [rebuild(entry, passages)]
