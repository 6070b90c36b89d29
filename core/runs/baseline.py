"""What a run is held against, kept with the run: plain retrieval with as many passages, where the evidence is, and what
is right.

It is searched when the strategy has ended, so that it costs the run nothing: no call, no round, no second of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import LoupeError
from core.runs.record import record
from core.trace.artefacts import Baseline, Ranking
from core.trace.events import ArtefactMade, Event, RunFinished, RunStarted, StepFinished

if TYPE_CHECKING:
    from core.retrieval.retriever import Retriever
    from core.runs.gold import Known
    from core.runs.sources.sources import Sources

log = logging.getLogger(__name__)


async def with_baseline(
    events: AsyncIterator[Event],
    started: RunStarted,
    retriever: Retriever | None,
    sources: Sources,
    past: Sequence[Event] = (),
) -> AsyncIterator[Event]:
    """The events of a run; before its end, under the last step that finished, what it is held against.

    Where no documents were searched, or no passage was given, only what is right is added. Nothing is added where
    nobody knows that either, or the search fails: the run is whole without it.

    Args:
        events: What happens from now on.
        started: Of the run.
        retriever: Of its corpus, with its filter; None: it searches no documents.
        sources: Corpora, which know the labels of their questions, and graphs, which cite a corpus each.
        past: Events of a run that goes on.
    """
    seen = list(past)
    async for event in events:
        if isinstance(event, RunFinished):
            step = next((past.step for past in reversed(seen) if isinstance(past, StepFinished)), None)
            made = (
                await _unharmed(_baseline(seen, started, retriever, sources), started.run) if step else None
            )
            if step and made is not None:
                # At the time of the end: the search is no part of the run.
                yield ArtefactMade(seq=event.seq, at=event.at, step=step, artefact=made)
                event = event.model_copy(update={"seq": event.seq + 1})
        seen.append(event)
        yield event


async def _unharmed(made: Coroutine[Any, Any, Baseline | None], run: str) -> Baseline | None:
    """What is made; None where that fails, or is stopped: the run has ended, and its end must not be lost."""
    try:
        return await made
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
    # Not before a run has ended: none of this is needed to begin one.
    from core.runs.budget import MAX_DEPTH, chunks_given, given_passages, plain_search

    run = record(seen)
    given = chunks_given(run)
    # Tables of a graph are passages, too, of which no document knows.
    documents = any(one.document != started.graph for one in given_passages(run))
    if not (documents or run.find(Ranking)):
        retriever = None
    known = await asyncio.to_thread(_known, started, sources)
    gold, answers = (known.gold, known.answers) if known else ((), ())
    if retriever is None or not 0 < given <= MAX_DEPTH:
        gold = gold if retriever is not None else ()
        return Baseline(retriever="", score_name="", hits=(), gold=gold, answers=answers) if answers else None
    found = await plain_search(retriever, started.question, given)
    return Baseline(
        retriever=retriever.kind,
        score_name=found.score_name,
        hits=found.used_as_found,
        gold=gold,
        answers=answers,
    )


def _known(started: RunStarted, sources: Sources) -> Known | None:
    """The labels of its question: of its documents, of those that its graph cites, or, of a model that was asked alone,
    of those that come with the app. Blocks."""
    from core.corpora.demo import DEMO_CORPORA
    from core.runs.gold import known_question

    corpora: Sequence[str] = DEMO_CORPORA
    if started.corpus or started.graph:
        corpora = (started.corpus or sources.graphs.corpus_of(started.graph or ""),)
    catalogue = sources.corpora.catalogue
    found = (known_question(catalogue, one, started.question) for one in corpora if one)
    return next(filter(None, found), None)
