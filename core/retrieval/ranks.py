"""Several rankings side by side: the rank of every passage in each of them, and their union without scores."""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval.repeats import marked_rows
from core.trace.artefacts import PooledRanking, RankedList, Ranking, RankRow
from core.trace.passages import Passage


def rank_rows(rankings: Sequence[Ranking]) -> list[RankRow]:
    """One row per passage that a ranking uses (its first `k` hits), in the order first seen, list by list.

    A passage that a ranking holds twice counts at its better rank; one that takes the place of what repeats it, at
    that. What repeats another of them is not marked yet, see `core.retrieval.repeats.marked_rows`.
    """
    passages: dict[str, Passage] = {}
    ranks: dict[str, list[int | None]] = {}
    for column, ranking in enumerate(rankings):
        for hit in ranking.used:
            known = passages.get(hit.passage.chunk, hit.passage)
            passages[hit.passage.chunk] = known.standing_for([hit.passage])
            row = ranks.setdefault(hit.passage.chunk, [None] * len(rankings))
            best = row[column]
            row[column] = hit.rank if best is None else min(best, hit.rank)
    return [RankRow(passage=passages[chunk], ranks=tuple(row)) for chunk, row in ranks.items()]


def unite(rankings: Sequence[Ranking]) -> PooledRanking:
    """Every passage that one of the rankings uses, once: best rank first, then first seen, list by list. What repeats
    another one is marked."""
    rows = marked_rows(sorted(rank_rows(rankings), key=lambda row: min(filter(None, row.ranks))))
    lists = tuple(RankedList(query=ranking.query, retriever=ranking.retriever) for ranking in rankings)
    return PooledRanking(lists=lists, rows=tuple(rows))
