"""Which model answers a question about certain documents, where a recording is chosen: before Ask it is said."""

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

_RUNS, _MARKS = "recording-runs", "corpus-marks"


@dataclass(frozen=True)
class Answering:
    """Which model answers, and what is to be said of it."""

    chat: ChatModel
    line: str = ""
    """Markdown; empty: there is nothing to say, or what the recording covers says it."""


def answering(bench: Workbench, strategy: str, corpus: str | None, graph: str | None) -> Answering:
    """Which model answers a question.

    A recording answers, unless it knows nothing of the documents and somebody was chosen for what it lacks: then they
    do all of it.

    Args:
        bench: What there is.
        strategy: Key of the strategy.
        corpus: Name of the documents, if there are any.
        graph: Name of the graph, if there is one.
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
    if other is None or knows(bench, play.recording, strategy, corpus, graph):
        return Answering(chat)
    instead = (
        "the tiny built-in model takes its place, or a simpler method where that is too small"
        if play.missing == "builtin"
        else f"{literal(other.status(bench.backends.models).name)} answers"
    )
    return Answering(
        other, f":material/album: The recording “{name}” knows nothing of these documents: {instead}."
    )


def knows(
    bench: Workbench, recording: Recording, strategy: str, corpus: str | None, graph: str | None
) -> bool:
    """Whether a question about these documents, or this graph, was recorded; where it is not noted, it may be."""
    known = strategies().get(strategy)
    runs = known_runs(bench, recording)
    if not runs or known is None:
        return True
    searched = corpus if known.retrieves else None
    explored = graph if known.explores else None
    if not searched and not explored:
        return True
    mark = corpus_mark(bench, searched or "")
    return any((mark and run.mark == mark) or (explored and run.graph == explored) for run in runs)


def playing_runs(bench: Workbench) -> Sequence[KeptRun]:
    """What the recording that plays was asked; empty where none plays."""
    play = session.chat(bench).play
    return known_runs(bench, play.recording) if play and not play.keeps else ()


def cover_of(bench: Workbench, request: RunRequest) -> Cover | None:
    """What the recording that plays holds of a request; None: none plays, the request cannot be run, or its documents
    are not there yet."""
    play = request.chat.play
    if play is None or play.keeps or not request.question.strip():
        return None
    strategy, mark = strategies().get(request.strategy), ""
    if strategy and strategy.retrieves and request.corpus:
        mark = corpus_mark(bench, request.corpus)
        if not mark:
            return None
    try:
        asked = as_noted(bench.backends.kind(request.chat), request, mark)
        return cover(known_runs(bench, play.recording), asked)
    except LoupeError:  # who asks is told
        return None


def recorded_strategies(bench: Workbench, question: str, corpus: str) -> frozenset[str]:
    """Keys of the strategies through which the recording that plays was asked a question about these documents."""
    mark = corpus_mark(bench, corpus)
    return frozenset(
        run.strategy
        for run in playing_runs(bench)
        if run.question == question.strip()
        and (not run.mark or (run.mark == mark if mark else run.corpus == corpus))
    )


def first_questions(bench: Workbench) -> frozenset[str]:
    """Questions that the recording that plays holds through all of its strategies: they stand first, wherever questions
    are offered. Empty where none plays."""
    return recorded_for_all(playing_runs(bench))


def known_questions(bench: Workbench, asked: Sequence[AnyStrategy]) -> set[str]:
    """Questions that were recorded through each of these strategies; empty where no recording plays."""
    runs = playing_runs(bench)
    if not runs or not asked:
        return set()
    return set.intersection(
        *({run.question for run in runs if run.strategy == strategy.key} for strategy in asked)
    )


def answered_questions(bench: Workbench, asked: Sequence[AnyStrategy]) -> frozenset[str]:
    """Ids of the demo questions that one of these strategies was seen to answer rightly with what answers here; empty
    where that is not the built-in model with the built-in embeddings."""
    chat = session.chat(bench)
    if chat.play is not None or not session.kind(bench).builtin or not bench.backends.embedder.builtin:
        return frozenset()
    return answered(strategy.key for strategy in asked)


def known_runs(bench: Workbench, recording: Recording) -> Sequence[KeptRun]:
    """How questions were asked while it was made; read again when it has grown."""
    state = recording.id, recording.bytes
    kept: tuple[tuple[str, int], Sequence[KeptRun]] | None = st.session_state.get(_RUNS)
    if kept is None or kept[0] != state:
        kept = state, bench.recordings.store.runs(recording.id)
        st.session_state[_RUNS] = kept
    return kept[1]


def corpus_mark(bench: Workbench, name: str) -> str:
    """Which documents a corpus holds, and how they are cut, as a recording notes it; empty: there is no such corpus."""
    corpus = bench.corpora.offered().get(name)
    if corpus is None:
        return ""
    from core.retrieval.corpus import SearchableCorpus
    from core.retrieval.recorded import mark_of

    marks: dict[tuple[str, int], str] = st.session_state.setdefault(_MARKS, {})
    with suppress(LoupeError):  # deleted meanwhile
        key = corpus.id, bench.corpora.catalogue.version(corpus.id)
        if key not in marks:
            marks[key] = mark_of(SearchableCorpus(corpus, bench.corpora.catalogue, ""))
        return marks[key]
    return ""
