"""The passage card: the same wherever a passage appears."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from core.trace.passages import Passage


@dataclass(frozen=True)
class Piece:
    """A stretch of a passage's text."""

    text: str
    marked: bool
    """Whether the answer used it."""


@dataclass(frozen=True)
class PassageCard:
    """A passage as it is shown; all text is raw and must not be interpreted."""

    id: str
    rank: str
    title: str
    where: str
    score: str
    """Empty: there is none to show."""
    score_name: str
    score_help: str
    pieces: tuple[Piece, ...]
    badge: str = ""
    faint: bool = False
    """Not used by the strategy or not given to the answer."""

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def passage_card(
    passage: Passage,
    rank: int,
    score: float | None,
    score_name: str,
    *,
    quotes: Sequence[str] = (),
    badge: str = "",
    faint: bool = False,
) -> PassageCard:
    """A passage with its rank from 1 and its score; `quotes` are the words of it that the answer used."""
    return PassageCard(
        id=passage.chunk,
        rank=str(rank),
        title=passage.title,
        where=where(passage),
        score="" if score is None else f"{score:.3f}" if abs(score) >= 0.1 else f"{score:.4f}",
        score_name=score_name,
        score_help=SCORE_HELP.get(score_name, f"The {score_name} that put the passage at this rank."),
        pieces=pieces(passage.text, quotes),
        badge=badge,
        faint=faint,
    )


SCORE_HELP = {
    "cosine similarity": "Cosine of the angle between the query's vector and the passage's: 1 is the same "
    "direction, 0 has nothing in common.",
    "BM25": "BM25: rare words shared with the query count more, long passages are held back. No upper end.",
    "RRF": "Sum of 1 / (k + rank) over all lists that hold the passage.",
}
"""How each score comes about, for people."""


def where(passage: Passage) -> str:
    """Place of a passage in its document."""
    parts = [f"page {passage.page}"] if passage.page is not None else []
    if passage.heading:
        parts.append(passage.heading)
    return " · ".join([*parts, f"chunk {passage.position + 1}"])


def pieces(text: str, quotes: Iterable[str]) -> tuple[Piece, ...]:
    """A text cut where the quotes begin and end; a quote that is not in the text is left out."""
    marked = [False] * len(text)
    for quote in quotes:
        start = text.find(quote) if quote else -1
        if start >= 0:
            marked[start : start + len(quote)] = [True] * len(quote)
    found: list[Piece] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or marked[index] != marked[start]:
            found.append(Piece(text[start:index], marked[start]))
            start = index
    return tuple(found)
