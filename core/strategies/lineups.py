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
_BOAT = "Our boat is seven and a half metres long and lies in Port Ansel for four nights. What do we owe the harbour?"
_GLOW = "Why does the water glow when you row at night in August?"
_MOTHER = "In which year was the mother of the Warden who signed the fisheries settlement born?"
QUESTIONS = {
    "One query or many": _GLOW,
    "Search with something else": _BOAT,
    "Take the question apart": _MOTHER,
    "With and without documents": "How far away from the birds on Gannet Holm do I have to stay with my drone?",
    "Dense, keyword or both": _BOAT,
    "Rank fusion: k = 60 or k = 1": "What became of the man who took the harbour's money, and what has been done so "
    "that nobody can do it again?",
    "Plain: reranked or not": _BOAT,
    "RAG-Fusion: reranked or not": _GLOW,
    "Plain: hits, their surroundings, whole documents, everything": _MOTHER,
    "Follow what passages mention": "Who was director of the ferry company when the Dunlin was taken off?",
    "Adaptive against its ways": _MOTHER,
    "Documents or graph": "Who was born first, the discoverer of Lowmark blue or the founder of the Pellamar Ferry "
    "Company?",
    "Let the reasoning search": _GLOW,
    "Corrective RAG: search again or remember": "Who led the university when the Marine Station at Ternick was set up?",
}
"""Line-up -> a question of the demo documents for which its columns were seen to differ: in the evidence that they
find, or where that is the same in the answer. Of line-ups that are not listed none was found yet."""
EVALUATED = {
    "Does rewording help?": "One query or many",
    "Dense, keyword, hybrid": "Dense, keyword or both",
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
"""Question that an evaluation answers -> line-up, the first of which is filled in at first; all of them can be judged
by their search alone."""
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
