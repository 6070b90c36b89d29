"""Equal budgets: how many passages a run gave to its answer, and what plain retrieval finds with as many, which is kept
with the run.

Strategies give 4, 6, 12, 15 or 20 passages; more passages hold more evidence, whatever found them. None is cut down:
what it found is measured against as many passages of plain retrieval for the same question.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from core.corpora.filtering import parse_where
from core.errors import InputError, LoupeError
from core.retrieval.kinds import FUSED
from core.runs.record import Record, record
from core.trace.artefacts import EVAL_CUTOFF, Answer, Baseline, Context, Ranking, SubAnswer
from core.trace.events import ArtefactMade, Event, RunFinished, RunStarted, StepFinished
from core.trace.gold import MAX_CHUNKS, MAX_QUOTE, Gold, Known
from core.trace.passages import Passage
from core.wording import counted

if TYPE_CHECKING:
    from core.corpora.catalogue import Catalogue
    from core.corpora.entries import Question
    from core.retrieval.retriever import Retriever
    from core.runs.sources.corpora import CorpusService
    from core.runs.sources.sources import Sources

T = TypeVar("T")

KEPT_DEPTH = 40
"""Passages that are kept of a ranking: as many as any strategy can be told to give, so that a sweep finds them."""
MAX_DEPTH = 1000


def plain_with(passages: int) -> str:
    """Plain retrieval with its number of passages, in words: without it, a figure of it says little."""
    return f"plain retrieval with {counted(passages, 'passage')}"


def first_of(ranking: Sequence[T], depth: int, retriever: str, count: int) -> tuple[T, ...] | None:
    """The first of a ranking, as many as were given; None: a search of this depth may rank otherwise."""
    fits = depth == depth_for(retriever, count) if retriever in FUSED else depth >= count
    return tuple(ranking[:count]) if fits else None


def depth_for(retriever: str, count: int) -> int:
    """Return how deep plain retrieval has to search to give this number of passages, as its own run would."""
    return max(count, EVAL_CUTOFF if retriever in FUSED else KEPT_DEPTH)


def given_passages(run: Record) -> tuple[Passage, ...]:
    """The different passages in any answering prompt of a run, as far as it is: what its answer was given, what its
    drafts were, and what the answers of its sub-questions were."""
    by_chunk: dict[str, Passage] = {}
    context: Sequence[Passage] = ()
    for _, artefact in run.artefacts:
        if isinstance(artefact, Context):
            context = artefact.given_passages
        elif isinstance(artefact, SubAnswer):
            _add(by_chunk, artefact.passages)
        elif isinstance(artefact, Answer) and not artefact.final:
            _add(by_chunk, context)
    _add(by_chunk, context)
    return tuple(by_chunk.values())


def chunks_given(run: Record) -> int:
    """Count the different chunks that a run gave to its answers; a passage may hold several."""
    return len({chunk for passage in given_passages(run) for chunk in passage.chunks})


def _add(by_chunk: dict[str, Passage], passages: Iterable[Passage]) -> None:
    for passage in passages:
        by_chunk[passage.chunk] = by_chunk.get(passage.chunk, passage).standing_for([passage])


async def plain_search(retriever: Retriever, question: str, passages: int) -> Ranking:
    """Plain retrieval for a question, deep enough for the number of passages given.

    Raises:
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    depth = min(MAX_DEPTH, depth_for(retriever.kind, passages))
    return await retriever.search(question, min(MAX_DEPTH, passages), depth=depth)


LOOK_UP_DEPTH = 50
"""How deep a search looks for evidence that a run missed."""


class LookUp(NamedTuple):
    """Evidence in a corpus as it is now."""

    passages: tuple[Passage, ...]
    """The chunks that hold it, as far as they are there; of evidence without chunks, the first of its document."""
    ranking: Ranking
    """The ranking of one search with the question, `LOOK_UP_DEPTH` deep."""


async def look_up(corpora: CorpusService, started: RunStarted, gold: Sequence[Gold]) -> LookUp:
    """Look up evidence in the corpus of a run, and search for it as deep as `LOOK_UP_DEPTH`. No model is asked.

    Raises:
        InputError: The corpus is gone, or indexed with another embedding model.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    retriever = await corpora.retriever(started.corpus, started.retriever or "dense")
    store = retriever.searchable.chunks
    by_id = await asyncio.to_thread(store.chunks, [chunk for piece in gold for chunk in piece.chunks])
    whole = [
        await asyncio.to_thread(store.document, document)
        for document in dict.fromkeys(piece.document for piece in gold if not piece.chunks)
    ]
    narrowed = retriever.within(parse_where(started.where))
    ranking = await plain_search(narrowed, started.question, LOOK_UP_DEPTH)
    return LookUp((*by_id.values(), *(chunks[0] for chunks in whole if chunks)), ranking)


log = logging.getLogger(__name__)


async def with_baseline(
    events: AsyncIterator[Event],
    started: RunStarted,
    retriever: Retriever | None,
    sources: Sources,
    past: Sequence[Event] = (),
) -> AsyncIterator[Event]:
    """The events of a run; before its end, under the last step that finished, what it is compared with.

    Where no documents were searched, or no passage was given, only what is right is added. Nothing is added where
    nobody knows that either, or the search fails: the run is whole without it.

    Args:
        retriever: Of its corpus, with its filter; None: it searches no documents.
        sources: Corpora, which know the labels of their questions, and graphs, which cite a corpus each.
        past: Events of a run that goes on.
    """
    seen = list(past)
    async for event in events:
        if isinstance(event, RunFinished):
            step = next((past.step for past in reversed(seen) if isinstance(past, StepFinished)), None)
            baseline = (
                await _unharmed(_baseline(seen, started, retriever, sources), started.run) if step else None
            )
            if step and baseline is not None:
                # At the time of the end: the search is no part of the run.
                yield ArtefactMade(seq=event.seq, at=event.at, step=step, artefact=baseline)
                event = event.model_copy(update={"seq": event.seq + 1})
        seen.append(event)
        yield event


async def _unharmed(work: Coroutine[Any, Any, Baseline | None], run: str) -> Baseline | None:
    """The baseline; None where that fails, or is stopped: the run has ended, and its end must not be lost."""
    try:
        return await work
    except asyncio.CancelledError:  # it came too late to stop the run
        return None
    except LoupeError as error:
        log.warning("Run %s cannot be compared with plain retrieval: %s", run, error)
    except Exception:
        log.exception("Run %s cannot be compared with plain retrieval", run)
    return None


async def _baseline(
    seen: Sequence[Event],
    started: RunStarted,
    retriever: Retriever | None,
    sources: Sources,
) -> Baseline | None:
    run = record(seen)
    count = chunks_given(run)
    # Tables of a graph are passages, too, of which no document knows.
    documents = any(passage.document != started.graph for passage in given_passages(run))
    if not (documents or run.find(Ranking)):
        retriever = None
    labels = await asyncio.to_thread(_known, started, sources)
    gold, answers = (labels.gold, labels.answers) if labels else ((), ())
    if retriever is None or not 0 < count <= MAX_DEPTH:
        gold = gold if retriever is not None else ()
        return Baseline(retriever="", score_name="", hits=(), gold=gold, answers=answers) if answers else None
    ranking = await plain_search(retriever, started.question, count)
    return Baseline(
        retriever=retriever.kind,
        score_name=ranking.score_name,
        hits=ranking.used_as_found,
        gold=gold,
        answers=answers,
    )


def _known(started: RunStarted, sources: Sources) -> Known | None:
    """The labels of its question: of its documents, of those that its graph cites, or, of a model that was asked alone,
    of those that come with the app. Blocks."""
    from core.corpora.demo import DEMO_CORPORA

    corpora: Sequence[str] = DEMO_CORPORA
    if started.corpus or started.graph:
        corpora = (started.corpus or sources.graphs.corpus_of(started.graph or ""),)
    catalogue = sources.corpora.catalogue
    labels = (known_question(catalogue, corpus, started.question) for corpus in corpora if corpus)
    return next(filter(None, labels), None)


def known_question(catalogue: Catalogue, corpus: str, question: str) -> Known | None:
    """The labels of one of a corpus's example questions; None for any other question. Blocks.

    Raises:
        StoreError: The catalogue cannot be read.
    """
    try:
        entry = catalogue.corpus(corpus)
    except InputError:
        return None  # not indexed yet
    example = next((known for known in entry.questions if known.text == question), None)
    if example is None:
        return None
    named = {*example.gold, *(piece.document for piece in example.evidence)}
    titles = {one.id: one.title or one.name for one in catalogue.entries(entry.id, sorted(named))}
    return Known(gold_of(example, titles), example.answers)


def known_gold(catalogue: Catalogue, corpus: str, question: str) -> tuple[Gold, ...]:
    """The evidence for one of a corpus's example questions; empty for any other question. Blocks.

    Raises:
        StoreError: The catalogue cannot be read.
    """
    known = known_question(catalogue, corpus, question)
    return known.gold if known else ()


def gold_of(question: Question, titles: Mapping[str, str]) -> tuple[Gold, ...]:
    """The evidence of a question: its passages where they are labelled, else its documents. `titles`: id of a document
    -> its title."""
    if question.evidence:
        return tuple(
            Gold(
                document=piece.document,
                title=titles.get(piece.document, ""),
                quote=piece.quote[:MAX_QUOTE],
                chunks=piece.chunks[:MAX_CHUNKS],
            )
            for piece in question.evidence
        )
    return tuple(
        Gold(document=document, title=titles.get(document, "")) for document in dict.fromkeys(question.gold)
    )


def labelled_gold(catalogue: Catalogue, corpus: str, keys: Collection[str]) -> tuple[Gold, ...]:
    """The documents of a corpus to which a data set gave these ids. Blocks.

    Raises:
        InputError: There is no such corpus.
        StoreError: The catalogue cannot be read.
    """
    entries = catalogue.documents(catalogue.corpus(corpus).id)
    return tuple(
        Gold(document=entry.id, title=entry.title or entry.name) for entry in entries if entry.key in keys
    )
