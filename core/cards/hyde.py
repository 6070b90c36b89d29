"""Hypothetical passages: what supports them, what they found, and what that changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.cards.moves import Moves, moves
from core.cards.passages import PassageCard, passage_card
from core.cards.support import SentenceSupport, support
from core.retrieval.mean import mean_of
from core.trace.artefacts import Passages, Ranking

Cosines = Sequence[Sequence[Sequence[float]]]
"""Passage × its sentences × sentences of what was found."""


@dataclass(frozen=True)
class PassagesView:
    """The passages beside what they found; raw text."""

    style: str
    texts: tuple[str, ...]
    searched_with: str
    """What the vector that is searched with is the mean of, in words."""
    written: tuple[tuple[SentenceSupport, ...], ...]
    """Each passage, sentence by sentence."""
    found: tuple[PassageCard, ...]
    """The real passages that are used; empty before the search."""
    moves: Moves | None
    """Against the ranking of the question alone; None before both are there."""
    method: str
    """How support was measured."""
    summary: str
    """How much of what was written nothing supports; empty before the search."""


def passages_view(
    artefact: Passages,
    found: Ranking | None = None,
    beside: Ranking | None = None,
    cosines: Cosines | None = None,
) -> PassagesView:
    """The passages, and as far as they are there the two rankings.

    Args:
        artefact: The passages.
        found: What they found.
        beside: What the question alone found.
        cosines: Of each passage's sentences with those of the passages that `found` uses; None: words alone count.
    """
    real = [hit.passage for hit in found.used] if found else []
    written = tuple(
        support(text, real, cosines[place] if cosines is not None else None)
        for place, text in enumerate(artefact.texts)
    )
    name = found.score_name if found else ""
    cards = [passage_card(hit.passage, hit.rank, hit.score, name) for hit in (found.used if found else ())]
    return PassagesView(
        style=artefact.style,
        texts=artefact.texts,
        searched_with=mean_of(len(artefact.texts), artefact.with_question),
        written=written,
        found=tuple(cards),
        moves=moves(beside, found) if beside and found else None,
        method="lexical and embedding similarity" if cosines is not None else "lexical similarity",
        summary=_summary(written) if real and written else "",
    )


def rankings_of(artefact: Passages, rankings: Iterable[Ranking]) -> tuple[Ranking | None, Ranking | None]:
    """What the passages found, and what the question alone found, among a run's rankings."""
    every = list(rankings)
    beside = next((ranking for ranking in every if ranking.query == artefact.question), None)
    found = next((ranking for ranking in reversed(every) if ranking is not beside), None)
    return found, beside


def _summary(written: Sequence[Sequence[SentenceSupport]]) -> str:
    rows = [sentence for sentences in written for sentence in sentences]
    bare = sum(sentence.level == "none" for sentence in rows)
    new = sum(piece.marked for sentence in rows for piece in sentence.pieces)
    names = "1 name or number is" if new == 1 else f"{new} names and numbers are"
    if bare == 0:
        return f"Every sentence resembles something that was found; {names} in none of it."
    lines = f"{bare} of {len(rows)} {'sentence' if len(rows) == 1 else 'sentences'}"
    return f"Nothing that was found resembles {lines}; {names} in none of it."
