"""Several rankings into one: by ranks alone (Reciprocal Rank Fusion), or two of them by weighted scores.

G. V. Cormack, C. L. A. Clarke, S. Büttcher: Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank
Learning Methods. SIGIR 2009. There score(d) = Σ 1 / (k + rank(d)) over all rankings that hold d, with ranks
from 1 and k = 60. Some programs count ranks from 0, which `first_rank` shows.

S. Bruch, S. Gai, A. Ingber: An Analysis of Fusion Functions for Hybrid Retrieval. ACM TOIS 2023. There a convex
combination of normalised scores finds more than RRF, and needs few examples to choose its one weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from core.errors import InputError
from core.retrieval.repeats import mark_row_repeats
from core.trace.artefacts import FusedRow, Fusion, PooledRanking, RankedList, Ranking, RankRow
from core.trace.passages import Passage

DEFAULT_K = 60
COMBINED_DEPTH = 100
"""Hits of each list whose scores are combined: what is in one list only counts as the worst of the other."""


def rank_rows(rankings: Sequence[Ranking]) -> list[RankRow]:
    """Return one row per passage that a ranking uses (its first `k` hits), in the order first seen, list by list.

    A passage that a ranking holds twice counts at its better rank; one that takes the place of what repeats it, at
    that. What repeats another of them is not marked yet, see `core.retrieval.repeats.mark_row_repeats`.
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
    """Return every passage that one of the rankings uses, once: best rank first, then first seen, list by list. What
    repeats another one is marked."""
    rows = mark_row_repeats(sorted(rank_rows(rankings), key=lambda row: min(filter(None, row.ranks))))
    lists = tuple(RankedList(query=ranking.query, retriever=ranking.retriever) for ranking in rankings)
    return PooledRanking(lists=lists, rows=tuple(rows))


def contribution(rank: int, k: int, first_rank: Literal[0, 1] = 1) -> float:
    """Return the share of a list in the score of the passage that it ranks at `rank` (from 1).

    Args:
        rank: Position in the list, from 1 however ranks are counted in the formula.
        k: Constant of the formula, 0 or more.
        first_rank: What the formula takes for the first rank: 1 as in the paper, or 0.

    Raises:
        InputError: k and first_rank are both 0.
    """
    if k + first_rank == 0:
        raise InputError("With k = 0, ranks must be counted from 1: the first would divide by zero.")
    return 1 / (k + rank - 1 + first_rank)


def fuse(rankings: Sequence[Ranking], k: int = DEFAULT_K, first_rank: Literal[0, 1] = 1) -> Fusion:
    """Fuse the hits that the rankings use. Passages are the same if their chunk ids are.

    Rows of equal score are ordered by their best single rank, then by which was seen first, list by list. What repeats
    another one is marked, and keeps its score.

    Raises:
        InputError: k and first_rank are both 0.
    """
    lists = tuple(RankedList(query=ranking.query, retriever=ranking.retriever) for ranking in rankings)
    rows = mark_row_repeats(fused_rows(rank_rows(rankings), k, first_rank))
    return Fusion(k=k, first_rank=first_rank, lists=lists, rows=tuple(rows))


def fuse_again(fusion: Fusion, k: int, first_rank: Literal[0, 1]) -> Fusion:
    """Return the same fusion with other constants, from its stored ranks: nothing is searched again."""
    # Rows are sorted by score. Ties go to the passage that was seen first, so that order is restored.
    rows = sorted(fusion.rows, key=lambda row: next((i, r) for i, r in enumerate(row.ranks) if r is not None))
    scored = fused_rows(rows, k, first_rank)
    if any(row.repeats for row in fusion.rows):  # the same passages: without one, there is none now
        scored = mark_row_repeats(scored)
    return fusion.model_copy(update={"k": k, "first_rank": first_rank, "rows": tuple(scored)})


def fused_rows(rows: Iterable[RankRow], k: int = DEFAULT_K, first_rank: Literal[0, 1] = 1) -> list[FusedRow]:
    """Return the rows with their fused scores, in the order of `fuse`, repeats unmarked.

    Raises:
        InputError: k and first_rank are both 0.
    """
    scored = []
    for row in rows:
        # Smallest ranks first, so that equal sets of ranks give exactly equal sums.
        score = sum(contribution(rank, k, first_rank) for rank in sorted(filter(None, row.ranks)))
        scored.append(FusedRow(passage=row.passage, ranks=row.ranks, score=score))
    return sorted(scored, key=lambda row: (-row.score, min(filter(None, row.ranks))))


def combine(dense: Ranking, keyword: Ranking, dense_share: float) -> list[tuple[Passage, float]]:
    """Return the hits of two rankings by `dense_share` · dense + (1 - `dense_share`) · keyword, best first.

    The scores of each list are scaled linearly, so that its best hit has 1 and its last 0; hits that a list lacks have
    0 there. Of equal sums the first seen is first, the dense list before the other.

    Args:
        dense: With all hits that count, whatever its k is.
        keyword: The same.
        dense_share: Weight of the dense scores, from 0 to 1.
    """
    sums: dict[str, float] = {}
    passages: dict[str, Passage] = {}
    for ranking, weight in ((dense, dense_share), (keyword, 1 - dense_share)):
        for hit, scaled in zip(ranking.hits, _scaled([hit.score for hit in ranking.hits]), strict=True):
            chunk = hit.passage.chunk
            passages.setdefault(chunk, hit.passage)
            sums[chunk] = sums.get(chunk, 0.0) + weight * scaled
    return [(passages[chunk], sums[chunk]) for chunk in sorted(sums, key=lambda chunk: -sums[chunk])]


def _scaled(scores: Sequence[float]) -> list[float]:
    """Return scores, the largest first, as numbers from 1 to 0; of equal ones each has 1."""
    if not scores:
        return []
    span = scores[0] - scores[-1]
    return [(score - scores[-1]) / span if span > 0 else 1.0 for score in scores]
