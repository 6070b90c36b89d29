"""The graph of mentions of a corpus that changes while it is searched, by several at once; on a real Chroma server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from core.corpora.documents import document_id
from core.corpora.ingestion import remove_documents
from core.errors import StoreError
from core.retrieval import linked
from core.retrieval.links import Links
from tests.servers.corpora.bench import Bench, names, until

ANNA = ("anna.md", b"# Anna Dacre\n\nAnna Dacre wrote letters to Bert Olsen.")
BERT = ("bert.md", b"# Bert Olsen (pilot)\n\nBorn in Port Carrick.")
CARRICK = ("carrick.md", b"# Port Carrick\n\nFounded by fishermen.")
OTHERS = [(f"{number}.txt", f"letters about wood and wool, {number}".encode()) for number in range(15)]
ASKED = "Where was the man born to whom Anna wrote letters?"


class Making:
    """Stands in front of `Links`: counts how often a graph is made, and can hold it up."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._before = before

    def __call__(self, *given: Any) -> Links:
        self.count += 1
        self._before()
        return Links(*given)


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> Making:
    counted = Making()
    monkeypatch.setattr(linked, "Links", counted)
    return counted


async def test_the_graph_follows_what_is_added_and_removed(bench: Bench, making: Making) -> None:
    await bench.index(ANNA, BERT, *OTHERS)
    retriever = await bench.open("linked")

    async def walked() -> list[str]:
        found = await retriever.search(ASKED, 4)
        return names(found) if not found.note else []

    assert (await walked())[:2] == ["Anna Dacre", "Bert Olsen (pilot)"]
    await bench.index(CARRICK)
    assert "Port Carrick" in await walked()
    assert "Port Carrick" not in names(await bench.search(ASKED, "hybrid"))
    await remove_documents(bench.catalogue.corpus("notes"), [document_id(BERT[1])], bench.stores)
    assert await walked() == []
    assert making.count == 3
    await walked()
    assert making.count == 3, "what has not changed is not made again"


async def test_searches_while_documents_come_and_go(bench: Bench) -> None:
    """Each search finds documents that were there at some time while it went on, and none fails."""
    await bench.index(ANNA, *OTHERS)
    retriever, corpus = await bench.open("linked"), bench.catalogue.corpus("notes")
    known = {"Anna Dacre", "Bert Olsen (pilot)", "Port Carrick", *(name for name, _ in OTHERS)}
    ended = asyncio.Event()

    async def search() -> int:
        count = 0
        while not ended.is_set():
            found = await retriever.search(ASKED, 4)
            assert set(names(found)) <= known
            assert "Anna Dacre" in names(found)
            assert len({hit.passage.chunk for hit in found.hits}) == len(found.hits)
            count += 1
        return count

    searching = [asyncio.create_task(search()) for _ in range(3)]
    for _ in range(4):
        await bench.index(BERT, CARRICK)
        await remove_documents(corpus, [document_id(BERT[1]), document_id(CARRICK[1])], bench.stores)
    ended.set()
    assert min(await asyncio.gather(*searching)) > 0
    assert (await retriever.search(ASKED, 4)).hits == (await bench.search(ASKED, "hybrid")).hits


async def test_several_at_once_make_it_once(bench: Bench, making: Making) -> None:
    await bench.index(ANNA, BERT, *OTHERS)
    visitors = [await bench.open("linked") for _ in range(4)]
    found = await asyncio.gather(*(one.search(ASKED, 4) for one in visitors for _ in range(2)))
    assert making.count == 1
    assert len({one.hits for one in found}) == 1


async def test_a_stop_while_it_is_made(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search that is stopped ends at once; what it began is there for the next one."""
    await bench.index(ANNA, BERT, *OTHERS)
    begun, go = threading.Event(), threading.Event()

    def held() -> None:
        begun.set()
        assert go.wait(120), "nobody let it go"

    making = Making(held)
    monkeypatch.setattr(linked, "Links", making)
    retriever = await bench.open("linked")
    stopped = asyncio.create_task(retriever.search(ASKED, 4))
    await until(begun.is_set)
    stopped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopped
    waiting = asyncio.create_task(retriever.search(ASKED, 4))
    assert (await bench.search(ASKED, "hybrid")).hits, "others search on"
    go.set()
    assert names(await waiting)[:2] == ["Anna Dacre", "Bert Olsen (pilot)"]
    assert making.count == 1


async def test_what_fails_while_it_is_made_is_made_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.index(ANNA, BERT, *OTHERS)

    def fails() -> None:
        raise StoreError("gone")

    monkeypatch.setattr(linked, "Links", Making(fails))
    retriever = await bench.open("linked")
    with pytest.raises(StoreError, match="gone"):
        await retriever.search(ASKED, 4)
    monkeypatch.setattr(linked, "Links", Links)
    assert names(await retriever.search(ASKED, 4))[:2] == ["Anna Dacre", "Bert Olsen (pilot)"]


async def test_an_index_that_is_gone_is_not_searched_from_memory(bench: Bench) -> None:
    await bench.index(ANNA, BERT, *OTHERS)
    retriever = await bench.open("linked")
    assert not (await retriever.search(ASKED, 4)).note
    bench.store().drop()
    with pytest.raises(StoreError, match="not on this Chroma server"):
        await retriever.search(ASKED, 4)
    await bench.index(ANNA, BERT, *OTHERS)
    assert names(await bench.search(ASKED, "linked"))[:2] == ["Anna Dacre", "Bert Olsen (pilot)"]
