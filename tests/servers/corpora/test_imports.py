"""Imports into a real Chroma server: atomic, stoppable, in turns, and never half a document."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest
from sqlalchemy import update

from core.corpora import pipeline
from core.corpora.documents import READER, Document, content_id, document_id
from core.corpora.entries import DocumentRow
from core.corpora.ingestion import remove_corpus, remove_documents
from core.corpora.writing import uninterrupted, writing
from core.errors import InputError, ModelError
from core.models.embeddings import Embedder
from core.trace.passages import Passage
from tests.embedder import DIMENSIONS, WordCounts
from tests.servers.corpora.bench import OAK, SHIP, WREN, Bench, Held, Slow, long_text, names, until


async def test_cancelling_keeps_finished_documents(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, chunks in (("_GROUP", 1), ("_BATCH", 2), ("_WRITTEN", 2)):
        monkeypatch.setattr(pipeline, name, chunks)
    first, second = ("first.txt", long_text("post", 100)), ("second.txt", long_text("slow", 200))
    whole = (await bench.index(first)).chunks
    await remove_corpus(bench.catalogue.corpus("notes"), bench.stores)
    held = Held(whole + 4)
    bench.embedder = replace(bench.embedder, embeddings=held)
    task = asyncio.create_task(bench.index(first, second))
    await until(lambda: task.done() or (bool(bench.seen) and bench.seen[-1].chunks > whole))
    assert (bench.seen[-1].documents, bench.seen[-1].current) == (1, "second.txt")
    assert bench.chunks() > whole, "half a document is written"
    task.cancel()
    held.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    corpus = bench.catalogue.corpus("notes")
    assert [entry.name for entry in bench.catalogue.documents(corpus.id)] == ["first.txt"]
    assert bench.chunks() == corpus.chunks == whole
    assert not (await bench.search("slow", "keyword")).hits
    assert bench.catalogue.hold(corpus.id, "another", 60), "the stopped import has let go of the corpus"
    bench.catalogue.release(corpus.id, "another")
    report = await bench.index(first, ("third.txt", b"A third one."))
    assert (report.documents, report.unchanged) == (1, 1)


async def test_a_file_that_an_earlier_version_read_is_read_again_and_replaces_it(bench: Bench) -> None:
    await bench.index(SHIP)
    corpus = bench.catalogue.corpus("notes")
    (older,) = bench.catalogue.documents(corpus.id)
    with (
        bench.catalogue.session() as session
    ):  # as an earlier version left it: with its own id, and no version
        session.execute(update(DocumentRow).values(id=content_id(SHIP[1]), reader=READER - 1))
    assert bench.catalogue.corpus("notes").outdated == 1
    report = await bench.index(SHIP)
    assert (report.documents, report.unchanged) == (1, 0)
    assert bench.catalogue.corpus("notes").outdated == 0
    (newer,) = bench.catalogue.documents(corpus.id)
    assert (newer.name, newer.id) == (older.name, document_id(SHIP[1]))
    assert newer.id != content_id(SHIP[1]), "what an earlier run cites keeps its id to itself"


async def leave_behind(bench: Bench, data: bytes) -> None:
    """What an import that was killed leaves: a pending row, some of its chunks."""
    corpus = bench.catalogue.corpus("notes")
    document = Document(id=document_id(data), name="ghost.txt", title="", text=data.decode())
    bench.catalogue.begin(corpus.id, [(document, 5)])
    passages = [
        Passage(
            chunk=f"{document.id}-{position}", document=document.id, title="ghost.txt", position=position,
            text=data.decode(), start=0, end=len(data),
        )
        for position in range(2)
    ]  # fmt: skip
    bench.store().add(passages, [[1.0] * DIMENSIONS] * 2)


async def test_pending_documents_are_never_found_and_the_next_import_removes_them(bench: Bench) -> None:
    await bench.index(SHIP, WREN)
    ghost = b"The wren is a small brown bird, says the ghost."
    await leave_behind(bench, ghost)
    assert bench.chunks() == 4
    for kind in ("dense", "keyword", "hybrid", "linked"):
        found = await bench.search("The wren is a small brown bird, says the ghost.", kind, k=3)
        assert "ghost.txt" not in names(found)
        assert "wren.txt" in names(found)
    assert len((await bench.search("anything at all", "dense", k=2)).hits) == 2
    report = await bench.index(OAK, ("ghost.txt", ghost))
    assert (report.documents, report.unchanged) == (2, 0)
    assert bench.chunks() == 4
    assert "ghost.txt" in names(await bench.search("ghost", "keyword"))


async def test_a_failing_model_leaves_the_corpus_as_it_was(bench: Bench) -> None:
    class Failing(WordCounts):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise ModelError("No answer.")

    await bench.index(WREN)
    failing = Embedder("words-1", "w", Failing(), 240, builtin=True)
    with pytest.raises(ModelError):
        await bench.index(("wren.txt", b"Another text."), embedder=failing)
    assert bench.chunks() == 1
    assert (await bench.search("wren")).hits[0].passage.text == WREN[1].decode()


async def test_imports_into_one_corpus_take_turns(bench: Bench) -> None:
    reports = await asyncio.gather(*(bench.index((f"{n}.txt", f"text {n}".encode()), WREN) for n in range(4)))
    assert sum(report.documents for report in reports) == 5
    assert sum(report.unchanged for report in reports) == 3
    assert bench.chunks() == 5


def refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who asks for a corpus and does not get it, in order."""
    asked: list[str] = []
    hold = bench.catalogue.hold

    def noted(corpus: str, writer: str, seconds: float) -> bool:
        held = hold(corpus, writer, seconds)
        if not held:
            asked.append(writer)
        return held

    monkeypatch.setattr(bench.catalogue, "hold", noted)
    return asked


async def test_an_import_waits_for_another_process(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.index(WREN)
    corpus = bench.catalogue.corpus("notes")
    waiting = refused(bench, monkeypatch)
    async with writing(bench.catalogue, corpus.id):
        task = asyncio.create_task(bench.index(OAK))
        await until(lambda: len(waiting) == 3)
        assert not task.done()
        assert bench.seen[-1].stage == "waiting"
    assert (await task).documents == 1


async def test_first_imports_at_once_do_not_trip_over_each_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = bench.catalogue.create("notes", "words-1", "words", 300, 50)
    waiting = refused(bench, monkeypatch)
    async with writing(bench.catalogue, corpus.id):
        imports = [asyncio.create_task(bench.index(file)) for file in (("e.txt", b""), WREN, ("f.txt", b""))]
        await until(lambda: len(set(waiting)) == 3)
        bench.catalogue.delete(corpus.id)  # as one does that leaves nothing
    reports = await asyncio.gather(*imports)
    assert sum(report.documents for report in reports) == 1
    assert bench.catalogue.corpus("notes").documents == bench.chunks() == 1


async def test_a_change_does_not_wait_long_for_an_import(bench: Bench) -> None:
    await bench.index(WREN)
    corpus = bench.catalogue.corpus("notes")
    async with writing(bench.catalogue, corpus.id):
        for change in (
            remove_corpus(corpus, bench.stores, patience=0.1),
            remove_documents(corpus, [], bench.stores, patience=0.1),
        ):
            with pytest.raises(InputError, match="being added"):
                await change
    assert names(await bench.search("wren")) == ["wren.txt"]


async def test_a_renewal_under_way_does_not_land_after_the_release(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.index(WREN)
    corpus = bench.catalogue.corpus("notes")
    monkeypatch.setattr("core.corpora.writing.HOLD_SECONDS", 0.3)
    hold, leaving = bench.catalogue.hold, threading.Event()
    begun, go = threading.Event(), threading.Event()

    def late(corpus: str, writer: str, seconds: float) -> bool:
        if leaving.is_set():
            begun.set()
            assert go.wait(120)
        return hold(corpus, writer, 60)

    monkeypatch.setattr(bench.catalogue, "hold", late)
    async with writing(bench.catalogue, corpus.id):
        leaving.set()
        await until(begun.is_set)
        asyncio.get_running_loop().call_later(0.3, go.set)
    assert hold(corpus.id, "another", 1)


async def test_reading_stays_a_few_steps_ahead(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.corpora.reports._TRUST_SECONDS", 0.2)  # these chunks take longer
    bench.embedder = Embedder("words-1", "words", Slow(), 240, builtin=True)
    await bench.index(*[(f"{number}.txt", f"slow word {number}".encode()) for number in range(500)])
    ahead = [item.chunks_total - item.chunks for item in bench.seen]
    assert bench.seen[-1].chunks == 500
    assert 64 <= max(ahead) <= 5 * 64
    assert bench.seen[-1].rate
    assert bench.seen[-1].left == 0
    assert any(item.left is None for item in bench.seen)


async def test_blocking_work_ends_before_a_cancellation_goes_on() -> None:
    done: list[bool] = []
    begun, go = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        assert go.wait(120)
        done.append(True)

    task = asyncio.create_task(uninterrupted(work))
    await until(begun.is_set)
    for _ in range(2):  # somebody is impatient
        task.cancel()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not task.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == [True]
