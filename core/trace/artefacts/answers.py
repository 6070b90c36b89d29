"""The evidence that an answer is given, and answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import not_
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from core.trace.artefacts.base import Artefact
from core.trace.passages import Frozen, Passage


class ContextPassage(Frozen):
    """A passage in the strategy's final order."""

    rank: int = Field(ge=1)
    score: float | None
    """None where the passages are ordered without scores; runs stored earlier have 0 there."""
    passage: Passage
    given: bool
    """Whether it was given to the answer."""
    source: str = ""
    """Where a strategy with several sources has it from, in words: e.g. `the step-back question`."""


class Context(Artefact):
    """Ranked, deduplicated evidence, in the strategy's order."""

    kind: Literal["context"] = "context"
    channel: ClassVar[str | None] = "context"

    passages: tuple[ContextPassage, ...]

    @classmethod
    def of(cls, rows: Iterable[tuple[Passage, float | None, bool, str]]) -> Self:
        """Evidence in its final order, from passages with their score, whether they go to the answer, and source."""
        return cls(
            passages=tuple(
                ContextPassage(rank=rank, passage=passage, score=score, given=given, source=source)
                for rank, (passage, score, given, source) in enumerate(rows, 1)
            )
        )

    @property
    def given_passages(self) -> list[Passage]:
        """The passages that the answer is given, in their order."""
        return [item.passage for item in self.passages if item.given]

    def brought_in(self, source: str) -> tuple[Passage, ...]:
        """The passages that came from one source."""
        return tuple(item.passage for item in self.passages if item.source == source)


class Citation(Frozen):
    """Links a sentence of the answer to the words that support it."""

    sentence: int = Field(ge=0)
    """Index of the answer's sentence, from 0."""
    chunk: str
    quote: str
    """A sentence of the passage, word for word."""


def citing(citations: Iterable[Citation], passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """The citations; those of what gave its place to one of the passages cite that one."""
    own = {chunk for passage in passages for chunk in passage.chunks}
    behind = {
        repeat.chunk: passage.chunk
        for passage in passages
        for repeat in passage.stands_for
        if repeat.chunk not in own
    }
    return tuple(
        citation.model_copy(update={"chunk": behind.get(citation.chunk, citation.chunk)})
        for citation in citations
    )


class Answer(Artefact):
    """An answer to the question that was asked; the last one that is final is the run's."""

    kind: Literal["answer"] = "answer"

    text: str
    sentences: tuple[str, ...] = ()
    """The text cut into sentences, citation marks removed; joined they read like `text`."""
    citations: tuple[Citation, ...] = ()
    short: str = ""
    """The answer itself, in as few words as it takes and without marks; empty: the method gives none."""
    suggested: bool = False
    """The sources suggest the answer, but do not state it."""
    incomplete: Annotated[bool, Field(exclude_if=not_)] = False
    """The sources hold only a part of the answer: it gives that part."""
    abstained: bool = False
    """The sources do not hold the answer: a fact, whatever the wording."""
    final: bool = True
    """Whether it is the run's answer, and not a draft that was graded."""
