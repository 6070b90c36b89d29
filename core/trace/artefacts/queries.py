"""Artefacts that are searched with: variants of a question, steps back, hypothetical passages."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from core.trace.artefacts.base import Artefact
from core.trace.passages import Frozen


class Query(Frozen):
    """One text that is sent to the retriever."""

    text: str
    origin: Literal["question", "model", "user"]


class DroppedQuery(Frozen):
    """A variant that was not used, and why."""

    text: str
    reason: str


class Queries(Artefact):
    """Variants of the question, in the order they are searched."""

    kind: Literal["queries"] = "queries"
    channel: ClassVar[str | None] = "queries"

    queries: tuple[Query, ...]
    dropped: tuple[DroppedQuery, ...] = ()


class StepBack(Artefact):
    """A more general question behind the one that was asked."""

    kind: Literal["step_back"] = "step_back"
    channel: ClassVar[str | None] = "step_back"

    question: str
    """As it was asked."""
    general: str
    """The step back; equal to `question` where none was found, which the note then says."""


class HypotheticalDocuments(Artefact):
    """Hypothetical passages that would answer the question; they may be false."""

    kind: Literal["passages"] = "passages"
    channel: ClassVar[str | None] = "passages"

    question: str
    style: str
    """Kind of text they imitate, e.g. `encyclopedia`."""
    texts: tuple[str, ...]
    with_question: bool
    """Whether the question's vector counts in the mean that is searched with."""
    each: bool = False
    """Whether each is about another thing and searched with by itself, and not with the mean of all."""


class Rewrite(Artefact):
    """A question reworded because of a bad grade."""

    kind: Literal["rewrite"] = "rewrite"
    channel: ClassVar[str | None] = "rewrite"

    before: str
    after: str
    cause: str
    """Which grade caused it, as a sentence."""
    round: int = Field(1, ge=1)
