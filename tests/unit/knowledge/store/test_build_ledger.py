"""What was done with each chunk, and who changes a graph."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.knowledge.store.build_ledger import ChunkNote, Ledger
from core.knowledge.store.graph_catalogue import GraphCatalogue, UnknownGraph

NOTE = ChunkNote(
    "c1", "Títle 日本", triples=2, dropped={"odd": 1}, method="model", model="m", pending=[{"a": ["b", None]}]
)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'x.sqlite'}"


@pytest.fixture
def ledger(database: str) -> Iterator[Ledger]:
    ledger = Ledger(database)
    yield ledger
    ledger.close()


def test_notes_are_kept_replaced_and_forgotten(ledger: Ledger, database: str) -> None:
    ledger.note("g1", NOTE)
    ledger.note("g2", NOTE)
    ledger.note("g1", ChunkNote("c2", "t", reason="x" * 5000))
    assert Ledger(database).notes("g1") == {
        "c1": NOTE,
        "c2": ChunkNote("c2", "t", reason="x" * 5000, dropped={}),
    }
    ledger.note("g1", ChunkNote("c1", "t", dropped={}))
    assert ledger.notes("g1")["c1"].pending is None
    GraphCatalogue(database).forget("g1")
    assert (ledger.notes("g1"), list(ledger.notes("g2"))) == ({}, ["c1"])


def test_one_writer_of_a_graph_at_a_time(ledger: Ledger, database: str) -> None:
    other = Ledger(database)
    assert ledger.hold("g", "one", 60)
    assert not other.hold("g", "two", 60)
    assert ledger.hold("g", "one", -1)  # its time is over
    assert other.hold("g", "two", 60)
    ledger.release("g", "one")  # no longer its own
    assert not ledger.hold("g", "one", 60)
    other.release("g", "two")
    assert ledger.hold("g", "one", 60)


def test_of_many_who_make_the_row_at_once_one_wins(database: str) -> None:
    ledgers = [Ledger(database) for _ in range(6)]
    with ThreadPoolExecutor(len(ledgers)) as threads:
        won = list(threads.map(lambda one: ledgers[one].hold("g", f"writer {one}", 60), range(6)))
    assert sorted(won) == [False] * 5 + [True]


def test_a_deleted_graph_has_no_version(ledger: Ledger, database: str) -> None:
    graph = GraphCatalogue(database).create("G", "test")
    assert ledger.version(graph.id) == 0
    GraphCatalogue(database).forget(graph.id)
    with pytest.raises(UnknownGraph, match="has been deleted"):
        ledger.version(graph.id)
