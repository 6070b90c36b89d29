"""Rankings that a recording holds, in the place of searches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from core.models.recordings.items import KeptHit, KeptList, KeptRanking
from core.models.recordings.keys import digest
from core.models.recordings.recorded import Recorded
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


async def kept_or_found(
    recorded: Recorded,
    corpus: SearchableCorpus,
    asked: Sequence[Any],
    search: Callable[[], Awaitable[list[Ranking]]],
) -> list[Ranking]:
    """The rankings that the recording holds for a search of the same documents; else those of the search, now kept.

    Args:
        recorded: The recording.
        corpus: What is searched.
        asked: Everything else that the rankings depend on.
        search: Searches.

    Raises:
        ModelError, ServiceError, StoreError: As of the search.
    """
    key = digest("ranking", await asyncio.to_thread(mark_of, corpus), *asked)
    kept = await asyncio.to_thread(recorded.ranking, key)
    if kept and (played := await asyncio.to_thread(_played, kept, corpus, recorded.recording.name)):
        return played
    found = await search()
    if recorded.keeps:
        mine = KeptRanking(key=key, lists=tuple(map(_kept, found)))
        (first,) = await asyncio.to_thread(recorded.keep_soon, [mine])
        if first.lists != mine.lists:  # another run was quicker, where vectors differ a little
            return await asyncio.to_thread(_played, first, corpus, recorded.recording.name) or found
    return found


def _played(kept: KeptRanking, corpus: SearchableCorpus, name: str) -> list[Ranking] | None:
    """The rankings with their passages; None: the corpus lacks one."""
    wanted = dict.fromkeys(hit.chunk for one in kept.lists for hit in one.hits)
    passages = corpus.chunks.chunks(list(wanted)) if wanted else {}
    if wanted.keys() - passages.keys():
        return None
    return [
        Ranking(
            query=one.query,
            retriever=one.retriever,
            score_name=one.score_name,
            k=one.k,
            note=one.note,
            recorded=name,
            hits=tuple(
                Hit(rank=rank, score=hit.score, passage=passages[hit.chunk])
                for rank, hit in enumerate(one.hits, 1)
            ),
        )
        for one in kept.lists
    ]


def _kept(found: Ranking) -> KeptList:
    return KeptList(
        query=found.query,
        retriever=found.retriever,
        score_name=found.score_name,
        k=found.k,
        note=found.note,
        hits=tuple(KeptHit(chunk=hit.passage.chunk, score=hit.score) for hit in found.hits),
    )
