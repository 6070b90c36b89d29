"""The unique union of several rankings, without scores."""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval.ranks import rank_rows
from core.trace.artefacts import PooledRanking, RankedList, Ranking


def unite(rankings: Sequence[Ranking]) -> PooledRanking:
    """Every passage that one of the rankings uses, once: best rank first, then first seen, list by list."""
    rows = sorted(rank_rows(rankings), key=lambda row: min(filter(None, row.ranks)))
    lists = tuple(RankedList(query=ranking.query, retriever=ranking.retriever) for ranking in rankings)
    return PooledRanking(lists=lists, rows=tuple(rows))
