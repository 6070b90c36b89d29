"""Reading and splitting the new files of an import, one document at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from core.corpora.documents import Document, document_id
from core.corpora.entries import Corpus, DocumentEntry
from core.corpora.parsing import PARSERS
from core.corpora.reports import Skipped, Tracker
from core.corpora.sources import SourceFile
from core.corpora.splitting import Splitter
from core.errors import DocumentError
from core.trace.passages import Passage

if TYPE_CHECKING:
    from core.models.embeddings import Embedder


_SHORT = 4000
"""Longest text, in characters, that is split without a thread: it takes a millisecond or two."""
_PORTION = 500
"""Number of chunks cut at a time."""

Known = Mapping[str, str]
"""Id -> name of the documents that a corpus holds."""


@dataclass(frozen=True)
class ImportItem:
    """A file, or a document of another corpus, that is read when its turn comes."""

    name: str
    size: int
    """Size in bytes, or in another unit that all items of an import share."""
    read: Callable[[Known, threading.Event | None], list[Document] | None]
    """Reads its documents; None: they are indexed already. Raises DocumentError; blocks until the event is set."""


@dataclass(frozen=True)
class Work:
    """A document to be indexed."""

    document: Document
    passages: list[Passage]
    replaces: str | None
    """Id of the document that had its name until now."""


@dataclass
class Gathering:
    """The documents that an import finds in its items, and those that it leaves out."""

    items: Sequence[ImportItem]
    corpus: Corpus
    entries: Sequence[DocumentEntry]
    embedder: Embedder
    tracker: Tracker
    skipped: list[Skipped] = field(default_factory=list)
    unchanged: int = 0

    async def works(self) -> AsyncGenerator[Work]:
        """Read and split the documents that the corpus lacks, as fast as the results are taken."""
        corpus, tracker = self.corpus, self.tracker
        splitter = Splitter(
            self.embedder.tokenizer, self.embedder.max_tokens, corpus.chunk_tokens, corpus.overlap_tokens
        )
        names = {entry.id: entry.name for entry in self.entries}
        ids = {entry.name: entry.id for entry in self.entries}
        for item in self.items:
            if tracker.now.stage != "indexing":
                tracker.update(stage="reading", current=item.name)
            documents = await self._read(item, names)
            weight = item.size / max(1, sum(len(document.text) for document in documents))
            for document in documents:
                size = len(document.text) * weight
                if document.id in names or not document.text.strip():
                    tracker.skip_bytes(size)
                    self._leave_out(document, names.get(document.id))
                    continue
                passages = await _split(document, splitter)
                work = Work(document, passages, ids.get(document.name))
                names[document.id] = document.name
                ids[document.name] = document.id
                tracker.add_document(len(passages), size)
                yield work
            if not documents:
                tracker.skip_bytes(item.size)
            tracker.update(files=tracker.now.files + 1)

    async def _read(self, item: ImportItem, names: Known) -> list[Document]:
        cancel = threading.Event()
        try:
            documents = await asyncio.to_thread(item.read, names, cancel)
        except asyncio.CancelledError:
            cancel.set()
            raise
        except DocumentError as error:
            self.skipped.append(Skipped(file=item.name, reason=str(error)))
            return []
        self.unchanged += documents is None
        return documents or []

    def _leave_out(self, document: Document, twin: str | None) -> None:
        if twin == document.name:
            self.unchanged += 1
            return
        reason = (
            f"“{document.name}” holds no text."
            if twin is None
            else f"“{document.name}” has the same content as “{twin}”, which is indexed."
        )
        self.skipped.append(Skipped(file=document.name, reason=reason))


def file_items(files: Sequence[SourceFile], max_mb: int) -> list[ImportItem]:
    """Return the files as items, none of them read yet."""
    return [ImportItem(file.name, file.size, partial(_read, file, max_mb)) for file in files]


def _read(
    file: SourceFile, max_mb: int, names: Known, cancel: threading.Event | None
) -> list[Document] | None:
    """Return the file's documents; None: exactly this file is indexed already, so it need not be parsed."""
    data = file.read(max_mb)
    if names.get(document_id(data)) == file.name:
        return None
    return PARSERS.parse(file.name, data, max_mb, cancel)


async def _split(document: Document, splitter: Splitter) -> list[Passage]:
    chunks: Iterator[Passage] = splitter.split(document)
    if len(document.text) < _SHORT:
        return list(chunks)
    passages: list[Passage] = []
    # In portions, so that a large file can be stopped while it is split.
    while True:
        portion = await asyncio.to_thread(lambda: list(islice(chunks, _PORTION)))
        passages.extend(portion)
        if len(portion) < _PORTION:
            return passages
