"""Line-ups: settings worth seeing side by side. Which strategies take part, and how they are set there, their lessons
say (`Place`); here is only in which order the pages offer them."""

from __future__ import annotations

from core.strategies import strategies
from core.strategies.lessons import Place, lesson

COMPARED = (
    "One query or many",
    "Search with something else",
    "Take the question apart",
    "With and without documents",
    "Dense, keyword or both",
    "Rank fusion: k = 60 or k = 1",
    "Plain: reranked or not",
    "RAG-Fusion: reranked or not",
    "Plain: hits, their surroundings, whole documents, everything",
    "Follow what passages mention",
    "Adaptive against its ways",
    "Documents or graph",
)
"""Line-ups of a comparison, the first of which is filled in at first; any that are not listed come after them."""
EVALUATED = {
    "Dense, keyword, hybrid": "Dense, keyword or both",
    "Does rewording help?": "One query or many",
    "Does searching with something else help?": "Search with something else",
    "Multi-hop: take the question apart": "Take the question apart",
    "Does reranking help?": "Plain: reranked or not",
    "Does fusion still help once hits are reranked?": "RAG-Fusion: reranked or not",
    "Is it worth giving more than was found?": "Plain: hits, their surroundings, whole documents, everything",
    "Does following mentions help?": "Follow what passages mention",
    "Does it help to check oneself?": "Does it help to check oneself?",
    "Does choosing the way help?": "Does choosing the way help?",
    "Rank fusion: k = 60 or k = 1": "Rank fusion: k = 60 or k = 1",
}
"""Question that an evaluation answers -> line-up; all of them can be judged by their search alone."""
LEAST = 2


def lineups() -> dict[str, list[tuple[str, Place]]]:
    """Name -> keys of the strategies that take part, each with how it is set; those of fewer than two are left out."""
    found: dict[str, list[tuple[int, str, Place]]] = {}
    for strategy in strategies().values():
        for place in lesson(strategy.key).lineups:
            order = strategy.order if place.order is None else place.order
            found.setdefault(place.name, []).append((order, strategy.key, place))
    return {
        name: [(key, place) for _, key, place in sorted(members, key=lambda member: member[0])]
        for name, members in found.items()
        if len(members) >= LEAST
    }
