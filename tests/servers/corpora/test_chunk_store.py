"""The store of chunks: searches with one vector and with several agree, and what is gone is said in a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import numpy as np
import pytest

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.errors import LoupeError, ServiceError, StoreError
from core.trace.passages import Passage
from tests.servers.corpora.bench import Bench

DIMENSIONS = 8


def passages(count: int) -> list[Passage]:
    """Chunks of two documents in turns."""
    return [
        Passage(
            chunk=f"c{number:05}", document=f"d{number % 2}", title="T", text=f"text {number}",
            position=number, start=0, end=1, heading="H" if number % 3 else "",
        )
        for number in range(count)
    ]  # fmt: skip


def vectors(count: int, seed: int = 0) -> list[list[float]]:
    found: list[list[float]] = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).tolist()
    return found


@asynccontextmanager
async def filled(bench: Bench, chunks: int) -> AsyncIterator[ChunkStore]:
    await bench.index(("note.txt", b"a note"))
    made = ChunkStore(
        open_vectors(bench.vectors), replace(bench.catalogue.corpus("notes"), id="store"), create=True
    )
    made.add(passages(chunks), vectors(chunks))
    yield made
    with suppress(StoreError):
        made.drop()


@pytest.fixture
async def store(bench: Bench) -> AsyncIterator[ChunkStore]:
    """A thousand chunks: exactly what is read at a time."""
    async with filled(bench, 1000) as made:
        yield made


@pytest.fixture
async def few(bench: Bench) -> AsyncIterator[ChunkStore]:
    """For what does not depend on how many there are."""
    async with filled(bench, 8) as made:
        yield made


def test_one_vector_finds_what_several_find(store: ChunkStore) -> None:
    asked = vectors(5, seed=1)
    for documents in (frozenset(["d0", "d1"]), frozenset(["d1"]), frozenset[str]()):
        together = store.nearest(asked, 7, documents)
        assert together == [store.nearest([vector], 7, documents)[0] for vector in asked]
        assert {hit.document for hits in together for hit, _ in hits} == documents
    best, score = store.nearest([vectors(1000)[4]], 1, frozenset(["d0"]))[0][0]
    assert best == passages(5)[4]
    assert score == pytest.approx(1, abs=1e-5)


def test_exact_search_ranks_as_the_graph_does(store: ChunkStore) -> None:
    """It stands in where the graph of a collection cannot reach a chunk."""
    asked = vectors(3, seed=3)
    graph = store.nearest(asked, 9, frozenset(["d0", "d1"]))
    for one, other in zip(store.exact(asked, 9), graph, strict=True):
        assert [passage for passage, _ in one] == [passage for passage, _ in other]
        assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=1e-5)


@pytest.mark.parametrize("share", [0.5, 0.001], ids=["more are searched", "they are named"])
def test_a_part_of_the_documents_is_searched_whole(store: ChunkStore, share: float) -> None:
    asked, d1 = vectors(3, seed=2), frozenset(["d1"])
    for some in (asked, asked[:1]):
        every = store.nearest(some, 1000, frozenset(["d0", "d1"]))
        wanted = [[hit for hit in hits if hit[0].document == "d1"][:9] for hits in every]
        found = store.nearest(some, 9, d1, share)
        for one, other in zip(found, wanted, strict=True):
            assert [passage for passage, _ in one] == [passage for passage, _ in other]
    assert store.nearest(asked, 9, frozenset(["gone"]), 0.001) == [[], [], []]


def test_reads(store: ChunkStore) -> None:
    every = passages(1000)
    assert store.passages(frozenset(["d0", "d1"])) == sorted(
        every, key=lambda one: (one.document, one.position)
    )
    assert store.document("d1") == every[1::2]
    assert store.chunks(["c00003", "gone"]) == {"c00003": every[3]}
    assert store.vectors(["c00003", "gone"])["c00003"] == pytest.approx(vectors(1000)[3], abs=1e-6)
    assert store.vectors(["gone"]) == {} == store.chunks(["gone"])
    assert store.document("gone") == []
    store.remove(["d1"])
    assert store.passages(frozenset(["d0", "d1"])) == every[::2]


CALLS: dict[str, Callable[[ChunkStore, int], object]] = {
    "one vector": lambda store, size: store.nearest([[1.0] * size], 3, frozenset(["d0"])),
    "several": lambda store, size: store.nearest([[1.0] * size] * 2, 3, frozenset(["d0"])),
    "add": lambda store, size: store.add(passages(1), [[1.0] * size]),
    "chunks": lambda store, _: store.chunks(["c00001"]),
    "vectors": lambda store, _: store.vectors(["c00001"]),
    "document": lambda store, _: store.document("d0"),
    "passages": lambda store, _: store.passages(frozenset(["d0"])),
    "sample": lambda store, _: store.sample(3, frozenset(["d0"])),
    "remove": lambda store, _: store.remove(["d0"]),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_collection_that_was_deleted_meanwhile(few: ChunkStore, call: str) -> None:
    few.drop()
    with pytest.raises(StoreError, match="not on this Chroma server"):
        CALLS[call](few, DIMENSIONS)


@pytest.mark.parametrize("call", ["one vector", "several", "add"])
def test_vectors_of_another_model(few: ChunkStore, call: str) -> None:
    with pytest.raises(ServiceError, match="does not answer as it should"):
        CALLS[call](few, DIMENSIONS + 1)


@pytest.mark.usefixtures("few")
def test_no_collection_and_no_server(bench: Bench) -> None:
    corpus = replace(bench.catalogue.corpus("notes"), id="none")
    with pytest.raises(StoreError, match="not on this Chroma server"):
        ChunkStore(open_vectors(bench.vectors), corpus)
    with pytest.raises(LoupeError, match="CHROMA_URL"):
        open_vectors("http://127.0.0.1:9")
