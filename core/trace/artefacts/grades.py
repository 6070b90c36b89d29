"""Judgements: grades, the way that a question takes, and what is left of a passage."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from core.trace.artefacts.base import Artefact
from core.trace.passages import Frozen, Passage


class Grade(Artefact):
    """A judgement, named as in Self-RAG (Asai et al. 2023)."""

    kind: Literal["grade"] = "grade"
    channel: ClassVar[str | None] = "grades"

    what: Literal["Retrieve", "IsRel", "IsSup", "IsUse", "Holds", "Search"]
    """Need of documents, relevance of a passage, support of the answer by the passages, usefulness of the answer; and
    as in Corrective RAG (Yan et al. 2024): whether a passage holds the answer, and what a search is worth."""
    verdict: str
    """Retrieve, IsRel: yes, no. IsSup: fully, partially, no. IsUse: 1 to 5. Holds: yes, partly, no. Search: correct,
    ambiguous, incorrect."""
    passes: bool
    """Whether the run goes on as with a good grade."""
    reason: str = ""
    score: float | None = None
    """What a method that computes has computed; None: it judged."""
    thresholds: tuple[float, float] | None = Field(None, exclude_if=lambda value: value is None)
    """The scores from which on the verdict is partly, and yes; None: there is no score, or one threshold."""
    passage: Passage | None = None
    """What IsRel or Holds judged."""
    round: int = Field(1, ge=1)
    """Which passage through the loop it belongs to, from 1."""


WayName = Literal["no-search", "one-search", "several-searches"]
"""A way in which a question can be answered: from memory, by one search, by several steps."""


class Way(Frozen):
    """A way that a question could take, and what it costs in model calls."""

    way: WayName
    strategy: str
    """Key of the strategy that it is."""
    rounds: int = Field(0, ge=0)
    """Calls that wait for one another, as a rule."""
    calls: int = Field(0, ge=0)
    """As a rule."""
    calls_most: int = Field(0, ge=0)


class RouteVote(Frozen):
    """A labelled question near the one that was asked."""

    question: str
    way: WayName
    """The way it took."""
    cosine: float


class Route(Artefact):
    """The way that a question takes, beside those that it does not."""

    kind: Literal["route"] = "route"
    channel: ClassVar[str | None] = "route"

    way: WayName
    reason: str = ""
    ways: tuple[Way, ...] = ()
    """All ways, the cheapest first."""
    votes: tuple[RouteVote, ...] = ()
    """Nearest first; empty: nobody voted."""


class Strip(Frozen):
    """A sentence of a passage, or a line."""

    text: str
    kept: bool
    score: float | None = None
    """What a method that computes has computed; None: it judged."""


class RefinedPassage(Frozen):
    """A passage in strips."""

    passage: Passage
    """The whole of it."""
    strips: tuple[Strip, ...]
    """In the order of the text; none kept: nothing of the passage is given."""


class Refinement(Artefact):
    """Passages decomposed into strips, of which only those are kept that the answer needs (Yan et al. 2024)."""

    kind: Literal["refinement"] = "refinement"
    channel: ClassVar[str | None] = "refinement"

    passages: tuple[RefinedPassage, ...]
