"""Candidates for the evidence of a question: the documents that any of the retrievers finds.

Pooling: K. Spärck Jones, C. J. van Rijsbergen: Report on the need for and provision of an "ideal" information
retrieval test collection. British Library Research and Development Report 5266, 1975; as at TREC. Documents
outside the pool count as irrelevant, so a pool of one retriever would favour it: the pool unites all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from core.corpora.stores import check_model
from core.errors import InputError
from core.retrieval.fusion import unite
from core.retrieval.repeats import unmarked
from core.retrieval.retriever import RETRIEVERS, RetrieverKind
from core.runs.sources.corpora import CorpusService
from core.trace.artefacts import Ranking, RankRow
from core.trace.passages import Passage

DEPTH = 10
"""Chunks taken from each ranking: as deep as rankings are judged."""


@dataclass(frozen=True)
class Candidate:
    """A document that may hold the evidence."""

    document: str
    """Id in the corpus."""
    title: str
    """Display text."""
    passages: tuple[Passage, ...]
    """Its chunks that were found, best first; at least one."""
    ranks: tuple[tuple[str, int], ...]
    """Retrievers that found it, each with the rank of the chunk, from 1."""


@dataclass(frozen=True)
class Pool:
    """The candidates for one query."""

    candidates: tuple[Candidate, ...]
    """Candidates by best rank; at equal rank, the one seen first."""
    note: str = ""
    """The reason why a retriever is missing; empty: none is missing."""


async def pool(corpora: CorpusService, corpus: str, query: str, depth: int = DEPTH) -> Pool:
    """The documents that any of the retrievers finds for a query.

    Args:
        depth: Chunks taken from each ranking.

    Raises:
        InputError: There is no such corpus.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    found = await asyncio.to_thread(corpora.catalogue.corpus, corpus)
    kinds, note = RETRIEVERS, ""
    try:
        check_model(found, corpora.backends.embedder)
    except InputError as error:
        kinds, note = ("keyword",), f"Only keyword search can look here. {error}"

    async def search(kind: RetrieverKind) -> Ranking:
        return await (await corpora.retriever(found.name, kind)).search(query, depth, depth)

    return Pool(by_document(await asyncio.gather(*map(search, kinds))), note)


def by_document(rankings: Sequence[Ranking]) -> tuple[Candidate, ...]:
    """The documents of some rankings: best rank first, then first seen. Each is judged, whatever it repeats."""
    rows: dict[str, list[RankRow]] = {}
    for row in unite([unmarked(one) for one in rankings]).rows:
        rows.setdefault(row.passage.document, []).append(row)
    return tuple(
        Candidate(
            document,
            own[0].passage.title,
            tuple(row.passage for row in own),
            tuple(
                (ranking.retriever, min(ranks))
                for place, ranking in enumerate(rankings)
                if (ranks := [rank for row in own if (rank := row.ranks[place]) is not None])
            ),
        )
        for document, own in rows.items()
    )
