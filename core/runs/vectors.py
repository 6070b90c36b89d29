"""The vectors behind a run: what it searched with, what it found, and a sample of the corpus."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.corpora.catalogue import check_model
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.errors import InputError
from core.retrieval.dense import mean_vector
from core.runs.record import Record
from core.runs.sources.corpora import CorpusService
from core.trace.artefacts import (
    HypotheticalDocuments,
    Queries,
    Ranking,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
)
from core.trace.passages import Passage

SAMPLE = 400
"""Chunks of the corpus that are looked at."""

Role = Literal["question", "query", "passage", "mean"]


@dataclass(frozen=True)
class Searched:
    """A text of a run, and the chunks that a search with it found."""

    role: Role
    name: str
    """Short, for a legend: our own words."""
    text: str
    """Raw."""
    chunks: tuple[str, ...] = ()
    run: int | None = None
    """Which of several runs searched with it, from 0; None: all of them did, or there is only one."""


@dataclass(frozen=True)
class RunVectors:
    """Everything that can be drawn of a run as points."""

    searched: tuple[Searched, ...]
    searched_vectors: tuple[list[float], ...]
    """One for each of `searched`."""
    hits: tuple[Passage, ...]
    """Found, and still in the corpus."""
    hit_vectors: tuple[list[float], ...]
    others: tuple[Passage, ...]
    """A sample of the corpus's other chunks."""
    other_vectors: tuple[list[float], ...]
    gone: int
    """Chunks that were found and are no longer in the corpus."""
    chunks_by_run: Mapping[int, tuple[str, ...]]
    """Number of a run, from 0 -> chunks that it found, whatever it searched with."""


def searched_texts(record: Record) -> tuple[Searched, ...]:
    """The texts that a run searched or worked with, in order, each once; the question first."""
    if record.started is None:
        return ()
    question = record.started.question
    by_text: dict[str, set[str]] = {}
    for ranking in record.find(Ranking):
        _add(by_text, ranking.query, (hit.passage for hit in ranking.used))
    for answer in record.find(SubAnswer):
        if not answer.queries:  # else each has a ranking
            _add(by_text, answer.searched, answer.passages)
    for thought in _searching(record):
        _add(by_text, thought.text, record.context.brought_in(thought.source) if record.context else ())
    texts: dict[str, tuple[Role, str]] = {question: ("question", "Question")}
    for name, several in _named(record):
        for number, text in enumerate(several, 1):
            texts.setdefault(text, ("query", f"{name} {number}" if len(several) > 1 else name))
    searched = [
        Searched(role, name, text, tuple(sorted(by_text.get(text, ()))))
        for text, (role, name) in texts.items()
    ]
    for documents in record.find(HypotheticalDocuments)[-1:]:
        alone = len(documents.texts) == 1
        searched += [
            Searched("passage", "Passage" if alone else f"Passage {number}", text)
            for number, text in enumerate(documents.texts, 1)
        ]
        used = next((r for r in reversed(record.find(Ranking)) if r.query != question), None)
        if used and documents.texts:
            chunks = tuple(sorted({hit.passage.chunk for hit in used.used}))
            searched.append(Searched("mean", "Searched with", used.query, chunks))
    return tuple(searched)


def _named(record: Record) -> list[tuple[str, list[str]]]:
    """Kinds of text, by their name in a legend; the question counts among the queries, so that these have the numbers
    of the picture of a fusion."""
    texts = [query.text for queries in record.find(Queries) for query in queries.queries]
    searches = {ranking.query for ranking in record.find(Ranking)}
    return [
        ("Query", list(dict.fromkeys(texts))),
        ("Sub-question", [text for item in record.find(SubQuestions) for text in item.questions]),
        (
            "Searched for",
            [
                query
                for item in record.find(SubAnswer)
                for query in item.queries or (item.searched,)
                if query != item.question
            ],
        ),
        ("Step back", [item.general for item in record.find(StepBack)]),
        ("Search", [query for item in record.find(Thought) for query in item.queries if query in searches]),
        ("Thought", [item.text for item in _searching(record)]),
    ]


def _searching(record: Record) -> list[Thought]:
    """Thoughts that are themselves what is searched with."""
    return [
        thought
        for thought in record.find(Thought)
        if thought.text and not (thought.queries or thought.answer)
    ]


def _add(by_text: dict[str, set[str]], text: str, passages: Iterable[Passage]) -> None:
    by_text.setdefault(text, set()).update(passage.chunk for passage in passages)


async def run_vectors(corpora: CorpusService, records: Sequence[Record]) -> RunVectors:
    """Vectors of what runs searched with and found, and of up to `SAMPLE` other chunks.

    Args:
        corpora: Holds the corpus.
        records: One run, or several for the same question; those that searched another corpus than the first that
            searched one at all are left out.

    Raises:
        InputError: No run searched a corpus; the corpus is gone, or indexed with another embedding model.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    name = next((r.started.corpus for r in records if r.started and r.started.corpus), None)
    if name is None:
        raise InputError("This run searched no corpus." if len(records) == 1 else "No run searched a corpus.")
    catalogue, embedder = corpora.catalogue, corpora.backends.embedder
    corpus = await asyncio.to_thread(catalogue.corpus, name)
    check_model(corpus, embedder)
    client = await asyncio.to_thread(open_vectors, await corpora.backends.vectors_url())
    store = await asyncio.to_thread(ChunkStore, client, corpus)
    ready = frozenset(await asyncio.to_thread(catalogue.ready, corpus.id))
    here = [(n, r) for n, r in enumerate(records) if r.started and r.started.corpus == name]
    texts = [searched_texts(record) for _, record in here]
    passages = {chunk: passage for _, record in here for chunk, passage in _passages(record).items()}
    by_run = {
        number: tuple(sorted({chunk for item in items for chunk in item.chunks}))
        for (number, _), items in zip(here, texts, strict=True)
    }
    all_chunks = {chunk for chunks in by_run.values() for chunk in chunks}
    chunk_vectors, sample, vectors = await asyncio.gather(
        asyncio.to_thread(store.vectors, sorted(all_chunks)),
        asyncio.to_thread(store.sample, SAMPLE, ready),
        asyncio.gather(
            *(_embedded(corpora, record, items) for (_, record), items in zip(here, texts, strict=True))
        ),
    )
    searched, searched_vectors = _together([number for number, _ in here], texts, vectors)
    hits = [passages[chunk] for chunk in sorted(chunk_vectors)]
    others = [(passage, vector) for passage, vector in sample if passage.chunk not in chunk_vectors]
    return RunVectors(
        searched=tuple(searched),
        searched_vectors=tuple(searched_vectors),
        hits=tuple(hits),
        hit_vectors=tuple(chunk_vectors[passage.chunk] for passage in hits),
        others=tuple(passage for passage, _ in others),
        other_vectors=tuple(vector for _, vector in others),
        gone=len(all_chunks) - len(chunk_vectors),
        chunks_by_run=by_run,
    )


def _together(
    runs: Sequence[int], texts: Sequence[tuple[Searched, ...]], vectors: Sequence[list[list[float]]]
) -> tuple[list[Searched], list[list[float]]]:
    """The texts of all runs; the question, which is theirs all, once."""
    if len(runs) == 1:
        return list(texts[0]), vectors[0]
    chunks = {chunk for items in texts for chunk in items[0].chunks}
    searched, joined_vectors = [replace(texts[0][0], chunks=tuple(sorted(chunks)))], [vectors[0][0]]
    for run, items, own in zip(runs, texts, vectors, strict=True):
        searched += [replace(item, run=run) for item in items[1:]]
        joined_vectors += own[1:]
    return searched, joined_vectors


async def _embedded(
    corpora: CorpusService, record: Record, searched: tuple[Searched, ...]
) -> list[list[float]]:
    """Questions as queries, passages as documents, and the mean of both as it was searched with."""
    embedder = corpora.backends.embedder
    queries = [item.text for item in searched if item.role in ("question", "query")]
    texts = [item.text for item in searched if item.role == "passage"]
    query_vectors = dict(zip(queries, await embedder.embed_queries(queries), strict=True))
    text_vectors = await embedder.embed_documents(texts) if texts else []
    vectors = [query_vectors[query] for query in queries] + text_vectors
    if any(item.role == "mean" for item in searched):
        with_question = record.find(HypotheticalDocuments)[-1].with_question
        vectors.append(mean_vector([*vectors[: int(with_question)], *text_vectors]))
    return vectors


def _passages(record: Record) -> dict[str, Passage]:
    """Everything that was found, by its chunk."""
    every = [hit.passage for ranking in record.find(Ranking) for hit in ranking.hits]
    every += [passage for answer in record.find(SubAnswer) for passage in answer.passages]
    return {passage.chunk: passage for passage in every}
