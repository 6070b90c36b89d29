"""Equal budgets: how many passages a run gave to its answer, and what plain retrieval finds with as many.

Strategies give 4, 6, 12, 15 or 20 passages; more passages hold more evidence, whatever found them. None is cut down:
what it found is measured against as many passages of plain retrieval for the same question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import not_
from typing import TYPE_CHECKING, Annotated, Self, TypeVar

from pydantic import Field, model_validator

from core.retrieval.kinds import FUSED
from core.runs.record import Record
from core.trace.artefacts import EVAL_CUTOFF, Answer, Context, Ranking, SubAnswer
from core.trace.passages import Frozen, Passage
from core.wording import counted

if TYPE_CHECKING:
    from core.retrieval.retriever import Retriever

T = TypeVar("T")

KEPT_DEPTH = 40
"""Passages that are kept of a ranking: as many as any strategy can be told to give, so that a sweep finds them."""
MAX_DEPTH = 1000


class PlainRanking(Frozen):
    """What plain retrieval finds for a question in one corpus: one search, no model."""

    corpus: str
    """Name."""
    retriever: str
    where: Annotated[tuple[str, ...], Field(exclude_if=not_)] = ()
    """The filter of the documents, as it is written."""
    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)]
    """How many passages were searched for."""
    documents: Annotated[tuple[str, ...], Field(max_length=MAX_DEPTH)]
    """Id of the document of each passage, best first; fewer than searched for where no more were found."""
    chunks: Annotated[tuple[str, ...], Field(max_length=MAX_DEPTH, exclude_if=not_)] = ()
    """Id of each passage; empty: only documents were kept, as earlier versions did."""

    @model_validator(mode="after")
    def _parallel(self) -> Self:
        if self.chunks and len(self.chunks) != len(self.documents):
            raise ValueError("a ranking has one chunk and one document per passage")
        return self


def plain_with(passages: int) -> str:
    """Plain retrieval with its number of passages, in words: without it, a figure of it says little."""
    return f"plain with {counted(passages, 'passage')}"


def first_of(ranking: Sequence[T], depth: int, retriever: str, given: int) -> tuple[T, ...] | None:
    """The first of a ranking, as many as were given; None: a search of this depth may rank otherwise."""
    fits = depth == depth_for(retriever, given) if retriever in FUSED else depth >= given
    return tuple(ranking[:given]) if fits else None


def depth_for(retriever: str, given: int) -> int:
    """How deep plain retrieval has to search to give this number of passages, as its own run would."""
    return max(given, EVAL_CUTOFF if retriever in FUSED else KEPT_DEPTH)


def given_passages(run: Record) -> tuple[Passage, ...]:
    """The different passages in any answering prompt of a run, as far as it is: what its answer was given, what its
    drafts were, and what the answers of its sub-questions were."""
    found: dict[str, Passage] = {}
    context: Context | None = None
    for _, artefact in run.artefacts:
        if isinstance(artefact, Context):
            context = artefact
        elif isinstance(artefact, SubAnswer):
            _add(found, artefact.passages)
        elif isinstance(artefact, Answer) and not artefact.final:
            _add(found, _given(context))
    _add(found, _given(context))
    return tuple(found.values())


def chunks_given(run: Record) -> int:
    """How many different chunks are in these passages: a passage of several counts as as many."""
    return len({chunk for passage in given_passages(run) for chunk in passage.chunks})


def _given(context: Context | None) -> Iterable[Passage]:
    return (item.passage for item in context.passages if item.given) if context else ()


def _add(found: dict[str, Passage], passages: Iterable[Passage]) -> None:
    for passage in passages:
        found[passage.chunk] = found.get(passage.chunk, passage).standing_for([passage])


async def plain_search(retriever: Retriever, question: str, given: int) -> Ranking:
    """Plain retrieval for a question, deep enough for the number of passages given.

    Raises:
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    depth = min(MAX_DEPTH, depth_for(retriever.kind, given))
    return await retriever.search(question, min(MAX_DEPTH, given), depth=depth)
