"""A chain of thoughts: each sentence of reasoning, and the paragraphs that it brought in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from core.skills.think import first_sentence
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
    """Passages gathered so far."""
    ends: str
    note: str

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def thought_view(artefact: Thought) -> ThoughtView:
    """A thought with its new passages, in the order they were found."""
    _, rest = first_sentence(artefact.written)
    before = artefact.pool - len(artefact.new)
    cards = tuple(
        passage_card(passage, rank, None, "") for rank, passage in enumerate(artefact.new, max(before, 0) + 1)
    )
    return ThoughtView(
        artefact.index + 1, artefact.text, rest, cards, artefact.pool, artefact.ends, artefact.note
    )


def summary(thoughts: Sequence[Thought]) -> str:
    """How far a chain is, in a few words."""
    written = sum(bool(thought.text) for thought in thoughts)
    words = "1 thought" if written == 1 else f"{written} thoughts"
    return f"{words}, {thoughts[-1].pool if thoughts else 0} paragraphs gathered"
