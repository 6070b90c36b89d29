"""A sentence of reasoning and what it brought in."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.artefacts import Thought
from core.views.passages import PassageCard, passage_card


@dataclass(frozen=True)
class ThoughtView:
    """One link of the chain of thoughts; raw text."""

    number: int
    text: str
    rest: str
    """What was written after the first sentence, and is not used."""
    cards: tuple[PassageCard, ...]
    """Passages that came in new."""
    pool: int
    ends: str


def thought_view(artefact: Thought) -> ThoughtView:
    """A thought with its new passages, in the order they were found."""
    rest = artefact.written.strip().removeprefix(artefact.text).strip()
    cards = tuple(passage_card(passage, rank, None, "") for rank, passage in enumerate(artefact.new, 1))
    return ThoughtView(artefact.index + 1, artefact.text, rest, cards, artefact.pool, artefact.ends)
