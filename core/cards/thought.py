"""A chain of thoughts: each sentence of reasoning, and the paragraphs that it brought in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from core.cards.passages import PassageCard, passage_card
from core.skills.think import first_sentence
from core.trace.artefacts import Context, Thought


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
    searched: bool
    """Whether its search is done."""

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def thought_view(artefact: Thought, pool: Context | None = None, *, searched: bool = True) -> ThoughtView:
    """A thought with its new passages, in the order they were found.

    Args:
        artefact: The thought.
        pool: Everything that was gathered, with where each passage came from.
        searched: Whether its search is done.
    """
    _, rest = first_sentence(artefact.written)
    passages = pool.passages if pool else ()
    new = pool.brought_in(artefact.source) if pool else ()
    later = {artefact.model_copy(update={"index": artefact.index + more}).source for more in range(1, 21)}
    gathered = sum(item.source not in later for item in passages)
    cards = tuple(
        passage_card(passage, rank, None, "") for rank, passage in enumerate(new, gathered - len(new) + 1)
    )
    return ThoughtView(
        artefact.index + 1, artefact.text, rest, cards, gathered, artefact.ends, artefact.note, searched
    )


def summary(thoughts: Sequence[Thought], pool: Context | None) -> str:
    """How far a chain is, in a few words."""
    written = sum(bool(thought.text) for thought in thoughts)
    words = "1 thought" if written == 1 else f"{written} thoughts"
    return f"{words}, {len(pool.passages) if pool else 0} paragraphs gathered"
