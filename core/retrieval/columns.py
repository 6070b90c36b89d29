"""Several rankings as one table: a row per passage, a column per ranking."""

from __future__ import annotations

from collections.abc import Sequence

from core.trace.artefacts import RankedList, Ranking, RankRow
from core.trace.passages import Passage


def gather(rankings: Sequence[Ranking]) -> tuple[tuple[RankedList, ...], tuple[RankRow, ...]]:
    """The columns, and every passage once in first-seen order with its rank in each; only used hits count.

    Identity is the chunk's id. A chunk that a ranking holds twice keeps its better rank there.
    """
    passages: dict[str, Passage] = {}
    ranks: dict[str, list[int | None]] = {}
    for column, ranking in enumerate(rankings):
        for hit in ranking.used:
            chunk = hit.passage.chunk
            passages.setdefault(chunk, hit.passage)
            row = ranks.setdefault(chunk, [None] * len(rankings))
            earlier = row[column]
            row[column] = hit.rank if earlier is None else min(earlier, hit.rank)
    lists = tuple(RankedList(query=ranking.query, retriever=ranking.retriever) for ranking in rankings)
    rows = tuple(RankRow(passage=passages[chunk], ranks=tuple(row)) for chunk, row in ranks.items())
    return lists, rows
