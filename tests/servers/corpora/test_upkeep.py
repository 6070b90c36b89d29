"""Changing, rebuilding and removing corpora on a real Chroma server, and what is said when it is gone."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from core.corpora.catalogue import NameTaken
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.documents import document_id
from core.corpora.entries import Evidence, Question
from core.corpora.ingestion import ingest, remove_corpus, remove_documents
from core.corpora.reindexing import reindex
from core.corpora.reports import IndexReport
from core.errors import InputError, ServiceError, StoreError
from core.models.embeddings import Embedder
from tests.embedder import word_counts
from tests.servers.corpora.bench import OAK, SHIP, WREN, Bench, Held, long_text, names, opened


async def test_another_embedding_model_is_refused(bench: Bench) -> None:
    await bench.index(WREN)
    other = word_counts("words-2")
    with pytest.raises(InputError, match=r"“notes” is indexed with .*words-1.*words-2"):
        await bench.index(OAK, embedder=other)
    bench.embedder = other
    with pytest.raises(InputError, match="words-1"):
        await bench.open("dense")
    assert names(await bench.search("wren", "keyword")) == ["wren.txt"]


async def test_unknown_names(bench: Bench) -> None:
    await bench.index(WREN)
    with pytest.raises(InputError, match="Existing: “notes”"):
        await opened(bench.stores, "nots", "dense")
    with pytest.raises(InputError, match="dense, keyword, hybrid, linked"):
        await bench.open("sparse")


async def test_an_index_that_is_gone_is_named_and_made_again(bench: Bench) -> None:
    await bench.index(WREN, OAK)
    retriever = await bench.open("dense")
    bench.store().drop()
    with pytest.raises(StoreError, match="not on this Chroma server"):
        await retriever.search("wren", 4)
    with pytest.raises(StoreError, match="not on this Chroma server"):
        await bench.open("dense")
    report = await bench.index(WREN, OAK)
    assert (report.documents, report.unchanged) == (2, 0)
    assert names(await bench.search("wren", k=1))[0] == "wren.txt"


async def test_removing_a_corpus(bench: Bench) -> None:
    await bench.index(WREN)
    retriever, name = await bench.open("dense"), bench.store().name
    await remove_corpus(bench.catalogue.corpus("notes"), bench.stores)
    assert bench.catalogue.corpora() == []
    assert name not in {item.name for item in open_vectors(bench.vectors).list_collections()}
    with pytest.raises(StoreError, match="deleted"):
        await retriever.search("wren", 4)


async def test_removing_documents(bench: Bench) -> None:
    await bench.index(SHIP, WREN, OAK)
    retriever = await bench.open("keyword")
    corpus = bench.catalogue.corpus("notes")
    ids = [document_id(WREN[1]), document_id(OAK[1]), "f" * 16]

    async def remove() -> int:
        return await remove_documents(corpus, ids, bench.stores)

    assert (await remove(), await remove()) == (2, 0)
    assert not (await retriever.search("wren", 4)).hits, "an open retriever sees the change"
    assert [entry.name for entry in bench.catalogue.documents(corpus.id)] == ["ship.md"]
    assert bench.chunks() == 1
    assert (await bench.index(WREN)).documents == 1


async def test_a_corpus_is_reindexed_beside_the_old_one(bench: Bench) -> None:
    lines = b'{"id": "x", "title": "Harbour", "text": "It is large."}'
    await bench.index(SHIP, ("long.txt", long_text("slow", 900)), ("corpus.jsonl", lines))
    old = bench.catalogue.corpus("notes")
    long = next(entry.id for entry in bench.catalogue.documents(old.id) if entry.name == "long.txt")
    evidence = Evidence(document=long, quote="number 899", chunks=("as it is cut now",))
    bench.catalogue.set_questions(old.id, [Question(text="How large?", evidence=(evidence,))])
    other = word_counts("words-2")

    async def reindex_as(name: str, embedder: Embedder = other, chunk: int = 60) -> IndexReport:
        return await reindex(
            old,
            name,
            replace(bench.stores, embedder=embedder),
            chunk_tokens=chunk,
            overlap_tokens=10,
            progress=bench.seen.append,
            patience=1,
        )

    with pytest.raises(NameTaken):
        await reindex_as("notes")
    with pytest.raises(InputError, match="at most 67"):
        await reindex_as("x" * 68)
    held = Held()
    slow = Embedder("words-2", "words", held, 240, builtin=True)
    bench.seen.clear()
    task = asyncio.create_task(reindex_as("small", slow))
    while not bench.seen or bench.seen[-1].stage != "indexing" or not bench.seen[-1].chunks:
        assert not task.done()
        await asyncio.sleep(0.01)
    task.cancel()
    held.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "small" not in [corpus.name for corpus in bench.catalogue.corpora()]
    await reindex_as("small", chunk=100)
    report = await reindex_as("tiny")
    assert (report.corpus, report.documents, report.skipped) == ("tiny", 3, ())
    small, tiny = bench.catalogue.corpus("small"), bench.catalogue.corpus("tiny")
    assert [corpus.name for corpus in bench.catalogue.corpora()] == ["notes", "small", "tiny"]
    assert (tiny.chunk_tokens, tiny.overlap_tokens, tiny.embedder) == (60, 10, "words-2")
    assert tiny.chunks > small.chunks > old.chunks
    assert tiny.documents == 3
    ((found,),) = (question.evidence for question in tiny.questions)
    assert found == evidence.model_copy(update={"chunks": found.chunks})
    own = ChunkStore(open_vectors(bench.stores.vectors), tiny).passages(frozenset({long}))
    holding = {passage.chunk for passage in own if "number 899" in passage.text}
    assert set(found.chunks) == holding != set()
    assert bench.catalogue.ready(tiny.id) == bench.catalogue.ready(old.id)
    retriever = await opened(replace(bench.stores, embedder=other), "tiny", "hybrid")
    assert (await retriever.search("harbour", 1)).hits
    assert names(await bench.search("wren number 7")), "the old one is as it was"


async def test_no_server(bench: Bench) -> None:
    with pytest.raises(ServiceError, match="CHROMA_URL"):
        await ingest(
            [WREN],
            "notes",
            replace(bench.stores, vectors="http://127.0.0.1:9"),
            max_mb=1,
        )
    assert bench.catalogue.corpora() == []


async def test_the_event_loop_stays_free_while_indexing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing long is computed there, and nobody there waits for Chroma, the catalogue or the model."""
    spent: list[float] = []
    loop = threading.get_ident()
    waited: dict[str, set[int]] = {}

    async def watch() -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            spent.append(time.thread_time() - before)
            before = time.thread_time()

    def noted(owner: Any, name: str) -> None:
        work = getattr(owner, name)

        def where(*args: Any, **kwargs: Any) -> Any:
            waited.setdefault(name, set()).add(threading.get_ident())
            return work(*args, **kwargs)

        monkeypatch.setattr(owner, name, where)

    for name in ("hold", "documents", "begin", "finish", "release"):
        noted(bench.catalogue, name)
    for name in ("__init__", "add"):
        noted(ChunkStore, name)
    noted(bench.embedder.embeddings, "embed_documents")
    watcher = asyncio.create_task(watch())
    lines = b"\n".join(b'{"id": %d, "title": "T%d", "text": "text %d"}' % (n, n, n) for n in range(200))
    await bench.index(("corpus.jsonl", lines), ("long.txt", long_text("post", 5000)))
    watcher.cancel()
    assert len(waited) == 8
    assert not {name for name, threads in waited.items() if loop in threads}
    assert max(spent) < 0.25
