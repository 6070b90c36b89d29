"""Reading, embedding and writing at the same time, each a few steps ahead of the next.

The queues between the stages are bounded, so that memory does not grow with the size of an import: reading stops
while embedding lags behind, and embedding stops while writing lags behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.corpora.catalogue import Catalogue
from core.corpora.chunk_store import ChunkStore
from core.corpora.entries import Corpus
from core.corpora.gathering import Work
from core.corpora.reports import Tracker
from core.corpora.splitting import fitting_text, short_title
from core.corpora.writing import uninterrupted
from core.trace.passages import Passage

if TYPE_CHECKING:
    from core.models.embeddings import Embedder

_GROUP = 64
"""Chunks that small documents are grouped to before they become ready together."""
_BATCH = 16
"""Number of chunks embedded at a time; an import can be stopped between two batches."""
_WRITTEN = 64
"""Number of chunks written together, after which progress is reported. Smaller requests cost a tenth of a core."""
_GROUPS_AHEAD = 1
"""Number of groups that are read and wait to be embedded."""
_BATCHES_AHEAD = 4
"""Batches being embedded, or embedded and waiting to be written, beside the one that comes next."""

Vectors = list[list[float]]


@dataclass(frozen=True)
class _Batch:
    """Chunks on their way through the stages; the first and last chunks of a group mark its borders."""

    group: Sequence[Work]
    passages: Sequence[Passage]
    vectors: asyncio.Task[Vectors]
    first: bool
    last: bool


@dataclass(frozen=True)
class Pipeline:
    """One import into a corpus, which the caller holds as its writer."""

    corpus: Corpus
    writer: str
    catalogue: Catalogue
    store: ChunkStore
    embedder: Embedder
    tracker: Tracker

    async def run(self, works: AsyncIterator[Work]) -> None:
        """Index the documents as they come.

        Raises:
            LoupeError: A stage failed; the first failure ends the other stages.
        """
        groups: asyncio.Queue[list[Work] | None] = asyncio.Queue(_GROUPS_AHEAD)
        batches: asyncio.Queue[_Batch | None] = asyncio.Queue(_BATCHES_AHEAD)
        try:
            async with asyncio.TaskGroup() as stages:
                stages.create_task(_group(works, groups))
                stages.create_task(self._embed(stages, groups, batches))
                stages.create_task(self._write(batches))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _embed(
        self,
        stages: asyncio.TaskGroup,
        groups: asyncio.Queue[list[Work] | None],
        batches: asyncio.Queue[_Batch | None],
    ) -> None:
        tokenizer, most = self.embedder.tokenizer, self.embedder.max_tokens

        def titles_of(group: Sequence[Work]) -> dict[str, str]:
            return {work.document.id: short_title(work.document.title, tokenizer, most) for work in group}

        while group := await groups.get():
            titles = await asyncio.to_thread(titles_of, group)
            passages = [passage for work in group for passage in work.passages]
            for start in range(0, len(passages), _BATCH):
                batch = passages[start : start + _BATCH]
                texts = [fitting_text(titles[one.document], one, tokenizer, most) for one in batch]
                # The next batch begins before this one is done: its model never waits for a straggler or a write.
                vectors = stages.create_task(self.embedder.embed_documents(texts))
                first, last = start == 0, start + _BATCH >= len(passages)
                await batches.put(_Batch(group, batch, vectors, first, last))
        await batches.put(None)

    async def _write(self, batches: asyncio.Queue[_Batch | None]) -> None:
        passages: list[Passage] = []
        vectors: Vectors = []
        while batch := await batches.get():
            self.tracker.update(stage="indexing", current=batch.passages[0].title)
            if batch.first:
                pending = [(work.document, len(work.passages)) for work in batch.group]
                await uninterrupted(self.catalogue.begin, self.corpus.id, pending)
            passages += batch.passages
            vectors += await batch.vectors
            if batch.last or len(passages) >= _WRITTEN:
                await uninterrupted(self.store.add, passages, vectors)
                self.tracker.update(chunks=self.tracker.now.chunks + len(passages))
                passages, vectors = [], []
            if batch.last:
                await self._finish(batch.group)

    async def _finish(self, group: Sequence[Work]) -> None:
        ready = [work.document.id for work in group]
        retired = [work.replaces for work in group if work.replaces is not None]
        await uninterrupted(self.catalogue.finish, self.corpus.id, self.writer, ready, retired)
        self.tracker.update(documents=self.tracker.now.documents + len(group))


async def _group(works: AsyncIterator[Work], groups: asyncio.Queue[list[Work] | None]) -> None:
    """Put documents in groups, in order: small ones together, since each group costs round trips; large ones alone."""
    group: list[Work] = []
    async for work in works:
        if group and len(work.passages) >= _GROUP:
            await groups.put(group)
            group = []
        group.append(work)
        if sum(len(item.passages) for item in group) >= _GROUP:
            await groups.put(group)
            group = []
    if group:
        await groups.put(group)
    await groups.put(None)
