"""Rankings that a recording holds, in the place of searches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from core.models.recordings.items import KeptHit, KeptList, KeptRanking
from core.models.recordings.keys import digest
from core.models.recordings.open_recording import OpenRecording
from core.retrieval.batching import Batcher
from core.retrieval.corpus import SearchableCorpus
from core.trace.artefacts import Ranking
from core.trace.passages import Hit


def mark_of(corpus: SearchableCorpus) -> str:
    """A hash of what is searched: the same documents, cut and embedded alike. Blocks for a moment.

    Raises:
        StoreError: The corpus has been deleted, or the catalogue cannot be read.
    """
    contextual = corpus.corpus.contextual
    written = [contextual.model, contextual.prompt] if contextual else None
    cut = corpus.corpus.embedder, corpus.corpus.chunk_tokens, corpus.corpus.overlap_tokens
    return digest(corpus.snapshot().digest, *cut, written)


class RecordedSearches:
    """Searches of one corpus by way of a recording; what arrives together is looked up together."""

    def __init__(self, recorded: OpenRecording, corpus: SearchableCorpus) -> None:
        self._recorded, self._corpus = recorded, corpus
        self._look_up = Batcher(self._looked_up)

    async def rankings(
        self, asked: Sequence[Any], search: Callable[[], Awaitable[list[Ranking]]]
    ) -> list[Ranking]:
        """The rankings that the recording holds for a search of the same documents; else those of the search, now kept.

        Args:
            asked: Everything that the rankings depend on, but for the documents.
            search: Searches.
        """
        key, played = await self._look_up(asked)
        if played:
            return played
        found = await search()
        if self._recorded.keeps:
            mine = KeptRanking(key=key, lists=tuple(map(_kept, found)))
            (first,) = self._recorded.keep([mine])
            if first.lists != mine.lists:  # another run was quicker, where vectors differ a little
                return await asyncio.to_thread(self._played, first) or found
        return found

    async def _looked_up(self, asked: list[Sequence[Any]]) -> list[tuple[str, list[Ranking] | None]]:
        """The key of each search, and the rankings that the recording holds for it."""
        return await asyncio.to_thread(self._rankings_of, asked)

    def _rankings_of(self, asked: list[Sequence[Any]]) -> list[tuple[str, list[Ranking] | None]]:
        mark = mark_of(self._corpus)
        keys = [digest("ranking", mark, *one) for one in asked]
        kept = self._recorded.rankings(keys)
        return [(key, self._played(kept[key]) if key in kept else None) for key in keys]

    def _played(self, kept: KeptRanking) -> list[Ranking] | None:
        """The rankings with their passages; None: the corpus lacks one."""
        wanted = dict.fromkeys(hit.chunk for one in kept.lists for hit in one.hits)
        passages = self._corpus.chunks.chunks(list(wanted)) if wanted else {}
        if wanted.keys() - passages.keys():
            return None
        return [
            Ranking(
                **one.model_dump(exclude={"hits"}),
                recorded=self._recorded.recording.name,
                hits=tuple(
                    Hit(rank=rank, score=hit.score, passage=passages[hit.chunk])
                    for rank, hit in enumerate(one.hits, 1)
                ),
            )
            for one in kept.lists
        ]


def _kept(ranking: Ranking) -> KeptList:
    hits = tuple(KeptHit(chunk=hit.passage.chunk, score=hit.score) for hit in ranking.hits)
    return KeptList(**{name: getattr(ranking, name) for name in KeptList.model_fields} | {"hits": hits})
