"""Building a graph from a corpus: each chunk is sent to the model once, however often the work is stopped or killed.

A reply's triples are noted in the ledger as soon as they arrive, and again when they are in the graph. What was only
noted is written first when the work goes on; since writing adds nothing twice, the graph is the same.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from core.corpora.reports import ThroughputEstimate
from core.corpora.writing import HOLD_SECONDS, uninterrupted, writing
from core.errors import InputError, LoupeError, ModelError, UnusableReply
from core.jobs import at_once
from core.knowledge.build.merging import BUSY, apply_merges
from core.knowledge.store.aliases import Merge
from core.knowledge.store.build_ledger import ChunkNote, Ledger
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import check_target
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.skills.extract import Extraction
from core.skills.stated_triples import Part
from core.trace.passages import Frozen, Passage
from core.users import TEACHER, User


@dataclass(frozen=True)
class NewTriple:
    """A triple that has just been written."""

    title: str
    """Title of the document that states it."""
    triple: Triple


@dataclass(frozen=True)
class BuildProgress:
    """The progress of a build."""

    chunks: int = 0
    """Chunks that are through, failed ones included."""
    chunks_total: int = 0
    """Chunks to be done this time."""
    before: int = 0
    """Chunks done earlier, which are not sent again."""
    triples: int = 0
    """Triples written this time."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Triples that were not taken over, by reason."""
    failed: int = 0
    """Chunks that failed this time."""
    latest: tuple[NewTriple, ...] = ()
    """The last triples written, the newest first."""
    rate: float | None = None
    """Chunks per second, lately; None until there is something to go by."""
    left: float | None = None
    """Seconds that the rest will take at this rate; None where that is not known."""

    @property
    def share(self) -> float:
        """Chunks through of those to be done, from 0 to 1."""
        return self.chunks / self.chunks_total if self.chunks_total else 0.0


class FailedChunk(Frozen):
    """A chunk that gave nothing, and why."""

    chunk: str
    title: str
    reason: str


class BuildReport(Frozen):
    """The outcome of a build."""

    graph: str
    corpus: str
    chunks: int
    """Chunks extracted this time."""
    before: int
    """Chunks done earlier."""
    open: int
    """Chunks that were left for another time."""
    failed: tuple[FailedChunk, ...]
    """All chunks that failed and were not done since, earlier ones included."""
    triples: int
    """Triples written this time."""
    dropped: dict[str, int]
    """Triples not taken over this time, by reason."""
    nodes: int
    """Nodes of the whole graph now."""
    edges: int
    demonstration: bool
    """True if the tiny built-in model was used: a graph to look at, not to rely on."""
    seconds: float


WORKERS = 4
"""Chunks with the model at once."""
GIVE_UP = 5
"""Chunks that the endpoint fails one after the other before the work ends: it will not answer the next one either."""
LATEST = 12
"""Triples that are told while the work goes on, to be looked at."""
_WINDOW_SECONDS = 60.0
"""The stretch of time that the rate is judged from; a chunk takes seconds."""


@dataclass(frozen=True)
class Extractor:
    """The way in which a chunk becomes triples."""

    extract: Callable[[Passage], Awaitable[Extraction]]
    model: str
    """Name of the model, for the notes."""
    demonstration: bool = False


def graph_for(graphs: Graphs, name: str, corpus: str, by: User = TEACHER) -> Graph:
    """Return the graph of that name, made if there is none, or if its making was cut short.

    Raises:
        InputError: It has not been built from this corpus, or it comes with the app.
        NotAllowed: It is somebody else's.
    """
    graph = check_target(graphs, name, by)
    if graph is None:
        return graphs.create(name, f"Extracted from “{corpus}”", corpus, owner=by.owner)
    if graph.native or graph.corpus != corpus:
        raise InputError(
            f"“{graph.name}” has not been built from “{corpus}”. Choose another name for the new graph."
        )
    return graph if graph.ready else graphs.begin(graph)


async def build(
    graph: Graph,
    passages: Sequence[Passage],
    extractor: Extractor,
    *,
    graphs: Graphs,
    limit: int | None = None,
    retry_failed: bool = False,
    only_failed: bool = False,
    workers: int = WORKERS,
    progress: Callable[[BuildProgress], None] = lambda _: None,
) -> BuildReport:
    """Extract what is not done yet. If this is cancelled, what is done stays.

    Args:
        graph: See `graph_for`.
        passages: All chunks of its corpus.
        extractor: Asked for each chunk that is not done.
        graphs: Where the graph is.
        limit: Most chunks to do this time; None: all.
        retry_failed: Whether chunks that failed before are sent again.
        only_failed: Whether these are sent, and nothing else.
        workers: How many chunks are sent at once.
        progress: Told how far it is; called on the event loop.

    Raises:
        InputError: Another process is changing the graph.
        ModelError: The endpoint failed several times in a row.
        ServiceError, StoreError: The graph server or the ledger fails.
    """
    started = time.monotonic()
    if limit is not None and limit < 1:
        raise InputError("The number of chunks must be at least 1.")
    async with writing(graphs.ledger, graph.id, HOLD_SECONDS + 5, BUSY):
        notes = await asyncio.to_thread(graphs.ledger.notes, graph.id)
        todo = [
            passage
            for passage in passages
            if passage.chunk not in notes or ((retry_failed or only_failed) and notes[passage.chunk].reason)
        ]
        wanted = [passage for passage in todo if passage.chunk in notes] if only_failed else todo
        chosen = wanted if limit is None else wanted[:limit]
        pending = [note for note in notes.values() if note.pending is not None]
        before = sum(1 for passage in passages if passage.chunk in notes and not notes[passage.chunk].reason)
        await asyncio.to_thread(graphs.store(graph).prepare)
        await asyncio.to_thread(graphs.catalogue.begin, graph.id)
        merges = await asyncio.to_thread(graphs.aliases.merges, graph.id)
        await uninterrupted(apply_merges, graphs.store(graph), graphs.aliases, graph.id, merges)
        work = _BuildWork(graphs, graph, extractor, merges, progress, BuildProgress(0, len(chosen), before))
        ended = False
        try:
            await work.write(pending)
            await work.run(chosen, workers)
            ended = True
        finally:
            with suppress(LoupeError):  # what is in the graph counts, not what the list says of it
                graph = await uninterrupted(graphs.finish, graph, ended)
        chunks = {passage.chunk for passage in passages}
        failed = await asyncio.to_thread(failed_chunks, graphs.ledger, graph.id, chunks)
    return BuildReport(
        graph=graph.name,
        corpus=graph.corpus,
        chunks=work.now.chunks - work.now.failed,
        before=before,
        open=len(todo) - len(chosen),
        failed=failed,
        triples=work.now.triples,
        dropped=dict(work.now.dropped),
        nodes=graph.nodes,
        edges=graph.edges,
        demonstration=extractor.demonstration,
        seconds=round(time.monotonic() - started, 3),
    )


def failed_chunks(ledger: Ledger, graph: str, chunks: Container[str]) -> tuple[FailedChunk, ...]:
    """Return the chunks of the graph with this id that failed and are among these: those that its corpus still has."""
    return tuple(
        FailedChunk(chunk=note.chunk, title=note.title, reason=note.reason)
        for note in ledger.failures(graph)
        if note.chunk in chunks
    )


@dataclass
class _BuildWork:
    """The chunks of one build on their way through."""

    graphs: Graphs
    graph: Graph
    extractor: Extractor
    merges: Sequence[Merge]
    listener: Callable[[BuildProgress], None]
    now: BuildProgress
    failures: int = 0
    """Chunks that the endpoint has failed one after the other."""

    def __post_init__(self) -> None:
        self._store = self.graphs.store(self.graph)
        self._pace = ThroughputEstimate(_WINDOW_SECONDS)
        self._writing = asyncio.Lock()
        self.listener(self.now)

    async def run(self, passages: Sequence[Passage], workers: int) -> None:
        waiting = iter(passages)

        async def worker() -> None:
            for passage in waiting:  # shared: each takes the next one
                await self._do(passage)

        await at_once(worker() for _ in range(workers))

    async def _do(self, passage: Passage) -> None:
        note = ChunkNote(passage.chunk, passage.title, model=self.extractor.model)
        triples: list[Triple] = []
        sent = time.monotonic()
        try:
            extraction = await self.extractor.extract(passage)
        except UnusableReply as error:  # the endpoint is well, this chunk is not
            note = replace(note, reason=str(error))
        except ModelError as error:
            note = replace(note, reason=str(error))
            self.failures += 1
            if self.failures >= GIVE_UP:
                raise ModelError(f"{error} Nothing is lost: build again, and it goes on from here.") from None
        else:
            self.failures = 0
            triples, dropped = to_triples(extraction, passage)
            note = replace(
                note,
                triples=len(triples),
                dropped=dropped,
                method=extraction.method,
                seconds=round(time.monotonic() - sent, 3),
                pending=[triple.model_dump(mode="json") for triple in triples],
            )
        await uninterrupted(self.graphs.ledger.note, self.graph.id, note)
        await self.write([note])
        self._report(note, triples)

    async def write(self, notes: Sequence[ChunkNote]) -> None:
        """Bring what was noted into the graph."""
        async with self._writing:  # the graph server refuses transactions that meet at a node
            for note in notes:
                if note.pending is not None:
                    await uninterrupted(self._write, note)

    def _write(self, note: ChunkNote) -> None:
        triples = [Triple.model_validate(triple) for triple in note.pending or ()]
        self._store.write(triples)
        names = {node.id for triple in triples for node in triple.nodes}
        if any(merge.gone.id in names for merge in self.merges):
            apply_merges(self._store, self.graphs.aliases, self.graph.id)
        self.graphs.ledger.note(self.graph.id, replace(note, pending=None))

    def _report(self, note: ChunkNote, triples: Sequence[Triple]) -> None:
        chunks = self.now.chunks + 1
        rate = self._pace(chunks)
        fresh = tuple(NewTriple(note.title, triple) for triple in reversed(triples))
        self.now = replace(
            self.now,
            chunks=chunks,
            triples=self.now.triples + note.triples,
            dropped=Counter(self.now.dropped) + Counter(note.dropped or {}),
            failed=self.now.failed + bool(note.reason),
            latest=(fresh + self.now.latest)[:LATEST],
            rate=rate,
            left=(self.now.chunks_total - chunks) / rate if rate else None,
        )
        self.listener(self.now)


TOO_DEEP = "nested too deep"
UNFIT = "a name that cannot be used"


def to_triples(extraction: Extraction, passage: Passage) -> tuple[list[Triple], dict[str, int]]:
    """Return the triples of a chunk, each with its source, and how many were dropped for which reason."""
    dropped = Counter(drop.reason for drop in extraction.dropped)
    triples = []
    for stated in extraction.found:
        source = TripleSource(chunk=passage.chunk, document=passage.document, quote=stated.quote)
        part = stated.triple
        try:
            triple = Triple(
                subject=_end(part.subject), relation=part.relation, object=_end(part.object), source=source
            )
            _ = [node.id for node in triple.nodes]
        except InputError:
            dropped[TOO_DEEP] += 1
        except ValidationError:
            dropped[UNFIT] += 1
        else:
            triples.append(triple)
    return triples, dict(dropped)


def _end(end: str | Part) -> Entity | Statement:
    if isinstance(end, str):
        return Entity(name=end)
    return Statement(subject=_end(end.subject), relation=end.relation, object=_end(end.object))
