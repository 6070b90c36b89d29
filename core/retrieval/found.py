"""Rankings from what searches found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.retrieval.fusion import fuse
from core.retrieval.walking import SCORE_NAME
from core.trace.artefacts import Ranking
from core.trace.passages import Hit, Passage

if TYPE_CHECKING:
    from core.retrieval.joined import Walked

HYBRID_SCORE_NAME = "RRF score"


def as_one(lists: Sequence[Ranking], query: str, k: int, depth: int) -> Ranking:
    """The only ranking, or the fusion of two, for which each counts as deep as it was searched."""
    if len(lists) == 1:
        return lists[0]
    count = max(k, depth)
    fused = fuse([ranking.model_copy(update={"k": count}) for ranking in lists])
    scored = [(row.passage, row.score) for row in fused.rows[:count]]
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
