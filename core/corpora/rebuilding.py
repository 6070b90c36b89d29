"""The text of an indexed document, put together again from its chunks."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import partial

from core.corpora.chunk_store import ChunkStore
from core.corpora.documents import Document
from core.corpora.entries import Entry
from core.corpora.gathering import Item, Known
from core.errors import DocumentError
from core.trace.passages import Passage, gap, text_of


def rebuild(entry: Entry, passages: Iterable[Passage]) -> Document:
    """The document of an entry in the catalogue as its loader delivered it, up to white space, from all its chunks.

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


def rebuilt_items(entries: Sequence[Entry], store: ChunkStore) -> list[Item]:
    """Documents of one corpus as items to be indexed into another one."""
    return [
        Item(entry.name, entry.characters, partial(_read, entry, store)) for entry in entries if entry.ready
    ]


def _read(
    entry: Entry, store: ChunkStore, known: Known, _cancel: threading.Event | None
) -> list[Document] | None:
    if known.get(entry.id) == entry.name:
        return None
    passages = store.document(entry.id)
    if len(passages) != entry.chunks:
        raise DocumentError(
            f"“{entry.name}” is not complete in its index any more. Add the file again instead."
        )
    return [rebuild(entry, passages)]
