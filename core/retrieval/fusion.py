"""Reciprocal Rank Fusion (Cormack, Clarke, Büttcher, SIGIR 2009).

score(d) = Σ 1 / (k + rank(d)) over the rankings that hold d. Only ranks count, so rankings whose scores cannot be
compared can be fused: that is its point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.retrieval.columns import gather
from core.trace.artefacts import Fusion, Ranking, RankRow

FirstRank = Literal[0, 1]


def contribution(rank: int, k: int, first_rank: FirstRank) -> float:
    """What one ranking adds to a passage's score.

    Args:
        rank: Place in the ranking, from 1.
        k: The constant; the larger, the less it matters to be first.
        first_rank: What the top place counts as in the formula: 1 as in the paper (1/61 with k = 60), 0 as in
            much tutorial code (1/60).

    Raises:
        ValueError: k and first_rank are both 0, so that the top place would divide by zero.
    """
    if k + first_rank == 0:
        raise ValueError("with k = 0, ranks must count from 1")
    return 1 / (k + rank - 1 + first_rank)


def fuse(rankings: Sequence[Ranking], k: int = 60, first_rank: FirstRank = 1) -> Fusion:
    """Fuse the used hits of rankings; best score first, ties by best single rank, then first seen."""
    lists, rows = gather(rankings)
    return _ordered(Fusion(k=k, first_rank=first_rank, lists=lists, rows=rows), k, first_rank)


def refuse(fusion: Fusion, k: int, first_rank: FirstRank) -> Fusion:
    """The same ranks fused with other constants: no retrieval, no model call.

    Ties are broken as in `fuse`; where best single ranks are equal too, the order of `fusion.rows` stands.
    """
    return _ordered(fusion, k, first_rank)


def _ordered(fusion: Fusion, k: int, first_rank: FirstRank) -> Fusion:
    rows = [row.model_copy(update={"score": score(row, k, first_rank)}) for row in fusion.rows]
    # Scores of the same ranks in other lists may differ in the last bit of the sum: they are ties all the same.
    rows.sort(key=lambda row: (-round(row.score, 12), best_rank(row)))
    return fusion.model_copy(update={"k": k, "first_rank": first_rank, "rows": tuple(rows)})


def score(row: RankRow, k: int, first_rank: FirstRank) -> float:
    """A passage's fused score."""
    return sum(contribution(rank, k, first_rank) for rank in row.ranks if rank is not None)


def best_rank(row: RankRow) -> int:
    """A passage's best place in any ranking."""
    return min(rank for rank in row.ranks if rank is not None)
