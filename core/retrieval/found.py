"""Rankings from what searches found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.retrieval.fusion import COMBINED_DEPTH, combine, fused_rows, rank_rows
from core.retrieval.walk import SCORE_NAME
from core.trace.artefacts import Ranking
from core.trace.passages import Hit, Passage

if TYPE_CHECKING:
    from core.retrieval.joined import Walked

HYBRID_SCORE_NAME = "RRF score"


def combined_score_name(dense_share: float) -> str:
    """What the scores of hybrid retrieval with weights are."""
    return f"{dense_share:.0%} cosine + {1 - dense_share:.0%} BM25, scaled".replace("%", " %")


def depth_of_lists(k: int, depth: int, dense_share: float | None) -> int:
    """How deep each list of hybrid retrieval is searched, see `as_one`."""
    return max(k, depth, 0 if dense_share is None else COMBINED_DEPTH)


def as_one(
    lists: Sequence[Ranking], query: str, k: int, depth: int, dense_share: float | None = None
) -> Ranking:
    """The only ranking, or the fusion of two, for which each counts as deep as it was searched.

    Args:
        lists: The dense and the keyword ranking, or one of them.
        query: That was searched with.
        k: Number of hits that the strategy will use.
        depth: Number of hits to keep for judging.
        dense_share: Weight of the dense scores (`core.retrieval.fusion.combine`); None: Reciprocal Rank Fusion.
    """
    if len(lists) == 1:
        return lists[0]
    count = max(k, depth)
    if dense_share is not None:
        sums = combine(lists[0], lists[1], dense_share)[:count]
        return ranking_of(query, "hybrid", combined_score_name(dense_share), k, sums)
    fused = fused_rows(rank_rows([ranking.model_copy(update={"k": count}) for ranking in lists]))
    scored = [(row.passage, row.score) for row in fused[:count]]
    return ranking_of(query, "hybrid", HYBRID_SCORE_NAME, k, scored)


def walk_ranking(found: Ranking, walk: Walked | str) -> Ranking:
    """All that a walk may give, best first; nothing where there is none, with the reason."""
    if isinstance(walk, str):
        return found.model_copy(update={"retriever": "linked", "hits": (), "note": walk})
    scored = [(walk.links.passages[one.place], one.score) for one in walk.order]
    return ranking_of(found.query, "linked", SCORE_NAME, found.k, scored)


def ranking_of(
    query: str, retriever: str, score_name: str, k: int, scored: list[tuple[Passage, float]]
) -> Ranking:
    """Passages with their scores, best first, as a ranking."""
    hits = tuple(Hit(rank=i, score=score, passage=passage) for i, (passage, score) in enumerate(scored, 1))
    return Ranking(query=query, retriever=retriever, score_name=score_name, k=k, hits=hits)
