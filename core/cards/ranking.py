"""One ranking as passage cards."""

from __future__ import annotations

from dataclasses import dataclass

from core.cards.passages import PassageCard, names, passage_card
from core.trace.artefacts import Ranking

RETRIEVERS = {"dense": "Dense", "keyword": "Keyword", "hybrid": "Hybrid"}


@dataclass(frozen=True)
class RankingView:
    """What one query found."""

    query: str
    retriever: str
    used: tuple[PassageCard, ...]
    rest: tuple[PassageCard, ...]
    """Found, but below the k that the strategy uses."""


def ranking_view(artefact: Ranking) -> RankingView:
    """Hits as cards, those that the strategy uses apart from the rest."""
    called = names(hit.passage for hit in artefact.hits)
    cards = [
        passage_card(
            hit.passage,
            hit.rank,
            hit.score,
            artefact.score_name,
            faint=place >= artefact.k,
            name=called[hit.passage.chunk],
        )
        for place, hit in enumerate(artefact.hits)
    ]
    retriever = RETRIEVERS.get(artefact.retriever, artefact.retriever)
    return RankingView(artefact.query, retriever, tuple(cards[: artefact.k]), tuple(cards[artefact.k :]))
