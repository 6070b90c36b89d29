"""Reading and splitting what is new among the files of an import."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from core.corpora.documents import Document, document_id
from core.corpora.entries import Corpus, Entry
from core.corpora.loaders import load
from core.corpora.reports import Skipped, Tracker
from core.corpora.sources import SourceFile
from core.corpora.splitting import Splitter
from core.errors import DocumentError
from core.trace.passages import Passage

if TYPE_CHECKING:
    from core.models.embeddings import Embedder


_PORTION = 500
"""Chunks cut at a time."""


@dataclass(frozen=True)
class Work:
    """A document to be indexed."""

    document: Document
    passages: list[Passage]
    replaces: str | None
    """Id of the document that had its name until now."""


@dataclass
class Gathered:
    """What an import found in its files."""

    works: list[Work] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    unchanged: int = 0


async def gather(
    files: Sequence[SourceFile],
    corpus: Corpus,
    entries: Sequence[Entry],
    embedder: Embedder,
    max_mb: int,
    tracker: Tracker,
) -> Gathered:
    """Read and split the files that `corpus`, which holds `entries`, does not have yet."""
    gathered = Gathered()
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, corpus.chunk_tokens, corpus.overlap_tokens)
    names = {entry.id: entry.name for entry in entries}
    ids = {entry.name: entry.id for entry in entries}
    for file in files:
        tracker.update(stage="reading", current=file.name)
        try:
            documents = await asyncio.to_thread(_read, file, names, max_mb)
        except DocumentError as error:
            gathered.skipped.append(Skipped(file=file.name, reason=str(error)))
            documents = []
        for document in documents or []:
            twin = names.get(document.id)
            if twin == document.name:
                gathered.unchanged += 1
            elif twin is not None:
                reason = f"“{document.name}” has the same content as “{twin}”, which is indexed."
                gathered.skipped.append(Skipped(file=document.name, reason=reason))
            elif not document.text:
                reason = f"“{document.name}” holds no text."
                gathered.skipped.append(Skipped(file=document.name, reason=reason))
            else:
                passages = await _split(document, splitter)
                gathered.works.append(Work(document, passages, ids.get(document.name)))
                names[document.id] = document.name
                ids[document.name] = document.id
                tracker.update(
                    documents_total=len(gathered.works),
                    chunks_total=tracker.now.chunks_total + len(passages),
                )
        gathered.unchanged += documents is None
        tracker.update(files=tracker.now.files + 1)
    return gathered


def _read(file: SourceFile, names: dict[str, str], max_mb: int) -> list[Document] | None:
    """The file's documents; None: exactly this file is indexed already, so it need not be parsed."""
    data = file.read(max_mb)
    return None if names.get(document_id(data)) == file.name else load(file.name, data, max_mb)


async def _split(document: Document, splitter: Splitter) -> list[Passage]:
    chunks = splitter.split(document)
    passages: list[Passage] = []
    # In portions, so that a large file can be stopped while it is split.
    while portion := await asyncio.to_thread(lambda: list(islice(chunks, _PORTION))):
        passages.extend(portion)
    return passages
