"""The card of a choice of words."""

from __future__ import annotations

from core.cards.kind import Kind, Scene, provenance
from core.cards.parts import Aid, Card, Line, Lines
from rag_loupe_example.artefact import WordChoice


def card(artefact: WordChoice, scene: Scene) -> Card:
    """The words one below the other, and below them those that are left out."""
    words = Lines([Line(word) for word in artefact.words])
    aid = Aid(f"Left out: {', '.join(artefact.left_out) or 'nothing'}.")
    return Card((words, aid, *provenance(artefact)), f"{len(artefact.words)} words")


KIND = Kind(
    key="word_choice",
    title="Choice of words",
    icon="short_text",
    card=card,
    artefact=WordChoice,
)
