"""The recording that plays, before a question is asked: the model that answers, and the questions and runs it holds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from core.errors import LoupeError
from core.models.chat_models import ChatModel
from core.models.recordings.covers import Cover, cover, recorded_for_all
from core.models.recordings.items import KeptRun, Recording
from core.runs.gallery import answered
from core.runs.recordings import as_noted
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.ui.shell import session
from core.ui.shell.safe import literal


@dataclass(frozen=True)
class Answering:
    """The model that answers, with a line about it."""

    chat: ChatModel
    line: str = ""
    """Markdown; empty: there is nothing to say, or what the recording covers says it."""


def answering(bench: Workbench, strategy: str, corpus: str | None, graph: str | None) -> Answering:
    """Return the model that answers a question through a strategy, by its key, about a corpus and a graph, by their
    names.

    A recording answers, unless it holds nothing of the documents and another model was chosen for what it lacks: that
    one then does all of it.
    """
    chat = session.chat(bench)
    play = chat.play
    if play is None:
        return Answering(chat)
    name = literal(play.recording.name)
    if play.keeps:
        line = f"Replies are kept in the recording “{name}”; what it holds already is played."
        return Answering(chat, f":material/radio_button_checked: {line}")
    other = play.fallback
    if other is None or _holds(bench, play.recording, strategy, corpus, graph):
        return Answering(chat)
    instead = (
        "the built-in model takes its place, or a simpler method where that is too small"
        if play.missing == "builtin"
        else f"{literal(other.status(bench.backends.models).name)} answers"
    )
    return Answering(
        other, f":material/album: The recording “{name}” holds nothing about these documents: {instead}."
    )


def _holds(bench: Workbench, recording: Recording, key: str, corpus: str | None, graph: str | None) -> bool:
    """Return True if a question about these documents, or this graph, was recorded, or nothing says that it was not."""
    strategy, runs = strategies().get(key), known_runs(bench, recording)
    searched = corpus if strategy and strategy.retrieves else None
    explored = graph if strategy and strategy.explores else None
    if not runs or not (searched or explored):
        return True
    mark = corpus_mark(bench, searched or "")
    return any((mark and run.mark == mark) or (explored and run.graph == explored) for run in runs)


def playing_runs(bench: Workbench) -> Sequence[KeptRun]:
    """Return the runs that the recording which plays holds; empty where none plays."""
    play = session.chat(bench).play
    return known_runs(bench, play.recording) if play and not play.keeps else ()


def cover_of(bench: Workbench, request: RunRequest) -> Cover | None:
    """Return the part of a request that the recording which plays holds; None: none plays, the request cannot be run,
    its documents are not there yet, or it has no question and the recording holds some about these documents."""
    play = request.chat.play
    if play is None or play.keeps:
        return None
    strategy, mark = strategies().get(request.strategy), ""
    if strategy and strategy.retrieves and request.corpus:
        mark = corpus_mark(bench, request.corpus)
        if not mark:
            return None
    if not request.question.strip():
        known = _holds(bench, play.recording, request.strategy, request.corpus, request.graph)
        return None if known else Cover(reason="it holds nothing about these documents.")
    try:
        question = as_noted(bench.backends.kind(request.chat), request, mark)
        return cover(known_runs(bench, play.recording), question)
    except LoupeError:  # the error is drawn when it is asked
        return None


def recorded_strategies(bench: Workbench, question: str, corpus: str) -> frozenset[str]:
    """Return the keys of the strategies through which the recording that plays holds a question about a corpus."""
    runs = [run for run in playing_runs(bench) if run.question == question.strip()]
    mark = corpus_mark(bench, corpus) if runs else ""
    return frozenset(
        run.strategy for run in runs if not run.mark or (run.mark == mark if mark else run.corpus == corpus)
    )


def first_questions(bench: Workbench) -> frozenset[str]:
    """Return the questions that the recording which plays holds through all of its strategies, and which stand first
    wherever questions are offered; empty where none plays."""
    return recorded_for_all(playing_runs(bench))


def known_questions(bench: Workbench, asked: Sequence[AnyStrategy]) -> set[str]:
    """Return the questions that were recorded through each of these strategies; empty where no recording plays."""
    runs = playing_runs(bench)
    through = [{run.question for run in runs if run.strategy == strategy.key} for strategy in asked]
    return set.intersection(*through) if through else set()


def answered_questions(bench: Workbench, asked: Sequence[AnyStrategy]) -> frozenset[str]:
    """Return the ids of the demo questions that one of these strategies was seen to answer rightly with the model that
    answers; empty where that is not the built-in one with the built-in embeddings."""
    chat = session.chat(bench)
    if chat.play is not None or not session.kind(bench).builtin or not bench.backends.embedder.builtin:
        return frozenset()
    return answered(strategy.key for strategy in asked)


def known_runs(bench: Workbench, recording: Recording) -> Sequence[KeptRun]:
    """Return the runs that a recording holds; they are read again when it has grown."""
    mark = recording.id, recording.bytes
    return session.recall("recording-runs", mark, lambda: bench.recordings.store.runs(recording.id))


def corpus_mark(bench: Workbench, name: str) -> str:
    """Return the mark of the documents of a corpus and their cut, as a recording notes it; empty: there is none."""
    corpus = bench.corpora.offered().get(name)
    if corpus is None:
        return ""
    from core.retrieval.corpus import SearchableCorpus, mark_of

    marks: dict[tuple[str, int], str] = st.session_state.setdefault("corpus-marks", {})
    with suppress(LoupeError):  # deleted meanwhile
        key = corpus.id, bench.corpora.catalogue.version(corpus.id)
        if key not in marks:
            marks[key] = mark_of(SearchableCorpus(corpus, bench.corpora.catalogue, ""))
        return marks[key]
    return ""
