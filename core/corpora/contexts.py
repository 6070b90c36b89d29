"""Contexts for chunks: sentences that a model writes about each of them, for the index alone.

After Anthropic: Introducing Contextual Retrieval. 2024. The vector and the keywords of a chunk are those of its title,
its context and its text; what is shown, quoted and given to an answer is its text.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from core.corpora.entries import Contextual, Corpus
from core.corpora.gathering import Work
from core.corpora.reports import ContextReport, Skipped, Tracker
from core.errors import InputError, ModelError

AHEAD = 16
"""Documents whose contexts are written at once, as far as the model is asked that often at a time."""
GIVE_UP = 3
"""Documents that the endpoint fails one after the other before the work ends: it will not answer the next either."""


class ContextWriter(Protocol):
    """Writes contexts, and counts what that takes."""

    @property
    def kind(self) -> Contextual:
        """Who writes, and by which prompt."""

    @property
    def report(self) -> ContextReport:
        """What it took until now."""

    async def write(self, work: Work) -> Work:
        """A document whose chunks have contexts, as far as the model gave some.

        Raises:
            ModelError: The endpoint failed. What it had replied is kept.
        """


def said_contexts(contextual: Contextual | None) -> str:
    """That chunks have contexts, in words that follow “in 12 chunks of at most 240 tokens”; empty: they have none."""
    return f", each searched with a context that {contextual.model} wrote" if contextual else ""


def check_contexts(corpus: Corpus, writer: ContextWriter | None) -> None:
    """Refuse to mix chunks with contexts of two models, or with none; the wording of the prompt may change.

    Raises:
        InputError: The corpus has contexts, and nobody or another model would write those of new documents.
    """
    if corpus.contextual is None:
        return
    model = corpus.contextual.model
    if writer is None:
        raise InputError(
            f"Each chunk of “{corpus.name}” has a context that the model “{model}” wrote, and without it no document "
            "can be added. Set its endpoint, or index the documents as another corpus."
        )
    if writer.kind.model != model:
        raise InputError(
            f"The contexts of the chunks of “{corpus.name}” are by the model “{model}”, but “{writer.kind.model}” is "
            "in use. Switch back to it, or index the documents as another corpus."
        )


async def with_contexts(
    works: AsyncGenerator[Work], writer: ContextWriter, skipped: list[Skipped], tracker: Tracker
) -> AsyncGenerator[Work]:
    """The documents in their order, each when all of its contexts are there; a few ahead are with the model.

    Args:
        works: Read and cut.
        writer: Asks the model.
        skipped: Gets the documents that the endpoint failed: they can be added again.
        tracker: Told of each document.

    Raises:
        ModelError: The endpoint failed several documents in a row.
    """
    under_way: deque[asyncio.Task[Work | None]] = deque()
    stage = _Stage(writer, skipped, tracker)
    try:
        async with aclosing(works):
            async for work in works:
                under_way.append(asyncio.create_task(stage.write(work)))
                if len(under_way) >= AHEAD and (ready := await under_way.popleft()):
                    yield ready
        while under_way:
            if ready := await under_way.popleft():
                yield ready
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


@dataclass
class _Stage:
    writer: ContextWriter
    skipped: list[Skipped]
    tracker: Tracker
    failures: int = 0
    """Documents that the endpoint has failed one after the other."""

    async def write(self, work: Work) -> Work | None:
        name = work.document.name
        try:
            done = await self.writer.write(work)
        except ModelError as error:
            self.failures += 1
            if self.failures >= GIVE_UP:
                raise ModelError(
                    f"{error} Nothing is lost: do the same again, and it goes on from here."
                ) from None
            self.skipped.append(Skipped(file=name, reason=f"“{name}” has no contexts: {error} Add it again."))
            return None
        self.failures = 0
        self.tracker.update(
            stage="indexing", situated=(self.tracker.now.situated or 0) + len(work.passages), current=name
        )
        return done
