"""Ingestion and retrieval on a real Chroma server: atomic, idempotent, stoppable, and never half a document."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.corpora.catalogue import Catalogue, NameTaken
from core.corpora.demo import DEMO_CORPUS, ensure_demo
from core.corpora.documents import Document, document_id
from core.corpora.entries import Question
from core.corpora.ingestion import IndexReport, Progress, ingest, remove_corpus, remove_documents
from core.corpora.reindexing import reindex
from core.corpora.sources import Source
from core.corpora.vectors import ChunkStore, open_vectors
from core.corpora.writing import HOLD_SECONDS, uninterrupted, writing
from core.errors import InputError, ModelError, ServiceError, StoreError
from core.models.embeddings import Embedder
from core.retrieval.searcher import Searcher, open_searcher
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.trace.artefacts import Ranking
from core.trace.passages import Passage
from tests.embedder import DIMENSIONS, WordCounts, word_counts

SHIP = ("ship.md", b"# The ship\n\nThe ship left the harbour at dawn.")
WREN = ("wren.txt", b"The wren is a small brown bird. It sings in winter.")
OAK = ("oak.txt", b"The oak is a tree. Its acorns feed the jay.")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    supervisor = Supervisor(tmp_path_factory.mktemp("home"))
    yield supervisor.ensure(LOCAL_CHROMA).url
    supervisor.release()


class Bench:
    """A catalogue of its own on the shared server."""

    def __init__(self, folder: Path, vectors: str) -> None:
        self.catalogue = Catalogue(f"sqlite:///{folder / 'catalogue.sqlite'}")
        self.vectors = vectors
        self.embedder = word_counts()
        self.seen: list[Progress] = []

    async def index(
        self, *sources: Source, embedder: Embedder | None = None, max_mb: int = 25
    ) -> IndexReport:
        self.seen.clear()
        return await ingest(
            sources,
            "notes",
            catalogue=self.catalogue,
            vectors=self.vectors,
            embedder=embedder or self.embedder,
            max_mb=max_mb,
            progress=self.seen.append,
        )

    async def open(self, kind: str = "dense") -> Searcher:
        return await open_searcher(self.catalogue, self.vectors, self.embedder, "notes", kind)

    async def search(self, query: str, kind: str = "dense", k: int = 4) -> Ranking:
        return await (await self.open(kind)).search(query, k)

    def store(self) -> ChunkStore:
        return ChunkStore(open_vectors(self.vectors), self.catalogue.corpus("notes"))

    def chunks(self) -> int:
        """Chunks on the server, searchable or not."""
        return open_vectors(self.vectors).get_collection(self.store().name).count()


@pytest.fixture
def bench(tmp_path: Path, vectors: str) -> Bench:
    return Bench(tmp_path, vectors)


def names(ranking: Ranking) -> list[str]:
    return [hit.passage.title for hit in ranking.hits]


def long_text(word: str, sentences: int = 300) -> bytes:
    return " ".join(f"The {word} number {number} stands by the road." for number in range(sentences)).encode()


async def test_documents_are_found_by_every_retriever(bench: Bench) -> None:
    report = await bench.index(SHIP, WREN, OAK)
    assert (report.corpus, report.documents, report.chunks, report.unchanged) == ("notes", 3, 3, 0)
    for kind, score_name in (
        ("dense", "cosine similarity"),
        ("keyword", "BM25 score"),
        ("hybrid", "RRF score"),
    ):
        ranking = await bench.search("a small brown bird", kind, k=2)
        assert (ranking.retriever, ranking.score_name, ranking.k) == (kind, score_name, 2)
        assert names(ranking)[0] == "wren.txt"
        assert [hit.rank for hit in ranking.hits] == list(range(1, len(ranking.hits) + 1))
    (passage,) = [hit.passage for hit in (await bench.search("ship")).hits if hit.passage.title == "The ship"]
    assert passage.text == "# The ship\n\nThe ship left the harbour at dawn."
    assert passage.heading == "The ship"
    assert passage.page is None


async def test_similarity_is_the_cosine(bench: Bench) -> None:
    await bench.index(WREN)
    (hit,) = (await bench.search(WREN[1].decode())).hits
    assert hit.score == pytest.approx(1, abs=1e-5)


async def test_titles_are_embedded_but_not_in_the_text(bench: Bench) -> None:
    await bench.index(("corpus.jsonl", b'{"id": "x", "title": "Harbour", "text": "It is large."}'), WREN)
    assert isinstance(bench.embedder.embeddings, WordCounts)
    assert set(bench.embedder.embeddings.embedded) == {"Harbour\n\nIt is large.", WREN[1].decode()}
    for kind in ("dense", "keyword"):
        hit = (await bench.search("harbour", kind)).hits[0]
        assert (hit.passage.title, hit.passage.text) == ("Harbour", "It is large.")
    (entry,) = [item for item in bench.catalogue.documents(bench.catalogue.corpus("notes").id) if item.key]
    assert (entry.key, entry.name) == ("x", "corpus.jsonl:x")


async def test_hybrid_lists_and_depth(bench: Bench) -> None:
    await bench.index(*[(f"{number}.txt", f"common word{number}".encode()) for number in range(15)])
    searcher = await bench.open("hybrid")
    dense, keyword = await searcher.lists("common word3", 4)
    assert [dense.retriever, keyword.retriever] == ["dense", "keyword"]
    assert len(dense.hits) == len(keyword.hits) == 10
    assert len(dense.used) == 4
    assert len((await searcher.search("common word3", 12)).hits) == 12
    fused = await searcher.search("common word3", 4)
    assert len(fused.hits) == 10
    assert fused.hits[0].score == pytest.approx(2 / 61)
    assert fused.hits[0].passage.text == "common word3"


async def test_searches_at_once_give_what_they_give_alone(bench: Bench) -> None:
    await bench.index(SHIP, WREN, OAK)
    searcher = await bench.open("dense")
    queries = ["a bird", "the harbour", "acorns", "winter", "dawn"]
    together = await asyncio.gather(
        *(searcher.search(query, 1, depth) for query, depth in zip(queries, (1, 2, 3, 1, 2), strict=True))
    )
    assert [len(ranking.hits) for ranking in together] == [1, 2, 3, 1, 2]
    for query, ranking in zip(queries, together, strict=True):
        alone = await searcher.search(query, 1, len(ranking.hits))
        assert names(alone) == names(ranking)
        assert [hit.score for hit in alone.hits] == pytest.approx([hit.score for hit in ranking.hits])


async def test_indexing_again_changes_nothing(bench: Bench) -> None:
    jsonl = ("corpus.jsonl", b'{"id": 1, "text": "one"}\n{"id": 2, "text": "two"}')
    await bench.index(SHIP, WREN, jsonl)
    assert isinstance(bench.embedder.embeddings, WordCounts)
    embedded = len(bench.embedder.embeddings.embedded)
    version = bench.catalogue.corpus("notes").version
    report = await bench.index(SHIP, WREN, jsonl)
    assert (report.documents, report.chunks, report.unchanged, report.skipped) == (0, 0, 4, ())
    assert len(bench.embedder.embeddings.embedded) == embedded
    assert bench.catalogue.corpus("notes").version == version
    assert bench.chunks() == 4


async def test_a_changed_file_replaces_the_old_one(bench: Bench) -> None:
    await bench.index(SHIP, ("bird.txt", long_text("wren")))
    searcher = await bench.open("keyword")
    assert (await searcher.search("wren", 4)).hits
    report = await bench.index(SHIP, ("bird.txt", b"Now a robin."))
    assert (report.documents, report.chunks, report.unchanged) == (1, 1, 1)
    assert not (await searcher.search("wren", 4)).hits, "an open searcher sees the change"
    assert names(await bench.search("robin", "keyword")) == ["bird.txt"]
    assert bench.chunks() == 2
    corpus = bench.catalogue.corpus("notes")
    assert (corpus.documents, corpus.chunks) == (2, 2)


async def test_what_cannot_be_used_is_skipped_with_its_reason(bench: Bench, tmp_path: Path) -> None:
    copy = ("copy.txt", WREN[1])
    blank = ("blank.jsonl", b'{"id": "a", "text": "one"}\n{"id": "b", "text": " "}')
    large = tmp_path / "large.txt"
    large.write_bytes(b"a" * (2**20 + 1))
    report = await bench.index(WREN, copy, ("x.exe", b"MZ"), ("e.txt", b""), blank, large, max_mb=1)
    assert (report.documents, report.unchanged) == (2, 0)
    reasons = {item.file: item.reason for item in report.skipped}
    assert "same content as “wren.txt”" in reasons["copy.txt"]
    assert "unknown kind" in reasons["x.exe"]
    assert "empty" in reasons["e.txt"]
    assert "no text" in reasons["blank.jsonl:b"]
    assert "at most 1 MB" in reasons["large.txt"]
    assert list(report.model_dump()) == ["corpus", "documents", "chunks", "unchanged", "skipped", "seconds"]


async def test_if_nothing_is_left_no_corpus_is_made(bench: Bench) -> None:
    report = await bench.index(("e.txt", b""))
    assert len(report.skipped) == 1
    assert bench.catalogue.corpora() == []


async def test_progress_ends_complete_and_never_goes_back(bench: Bench) -> None:
    await bench.index(SHIP, ("long.txt", long_text("post") * 5), OAK)
    last = bench.seen[-1]
    assert last.stage == "indexing"
    assert (last.files, last.documents) == (3, 3)
    assert last.chunks == last.chunks_total > 3
    assert [item.chunks for item in bench.seen] == sorted(item.chunks for item in bench.seen)
    assert len({item.chunks for item in bench.seen}) > 2


class Slow(WordCounts):
    """Takes its time for one word."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if any("slow" in text for text in texts):
            time.sleep(0.1)
        return super().embed_documents(texts)


async def test_cancelling_keeps_finished_documents(bench: Bench) -> None:
    bench.embedder = Embedder(
        "words-1", "words", Slow(), bench.embedder.tokenizer, bench.embedder.max_tokens, builtin=True
    )
    first, second = ("first.txt", long_text("post", 2500)), ("second.txt", long_text("slow", 2500))
    task = asyncio.create_task(bench.index(first, second))
    while not bench.seen or bench.seen[-1].documents < 1 or bench.seen[-1].current != "second.txt":
        await asyncio.sleep(0.01)
        assert not task.done()
    await asyncio.sleep(0.15)
    task.cancel()
    stopped = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - stopped < 1
    corpus = bench.catalogue.corpus("notes")
    assert [entry.name for entry in bench.catalogue.documents(corpus.id)] == ["first.txt"]
    assert bench.chunks() == corpus.chunks
    assert not (await bench.search("slow", "keyword")).hits
    started = time.monotonic()
    report = await bench.index(first, ("third.txt", b"A third one."))
    assert (report.documents, report.unchanged) == (1, 1)
    assert time.monotonic() - started < HOLD_SECONDS / 2, "the stopped import has let go of the corpus"


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
    for kind in ("dense", "keyword", "hybrid"):
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
    failing = Embedder("words-1", "w", Failing(), bench.embedder.tokenizer, 240, builtin=True)
    with pytest.raises(ModelError):
        await bench.index(("wren.txt", b"Another text."), embedder=failing)
    assert bench.chunks() == 1
    assert (await bench.search("wren")).hits[0].passage.text == WREN[1].decode()


async def test_imports_into_one_corpus_take_turns(bench: Bench) -> None:
    reports = await asyncio.gather(*(bench.index((f"{n}.txt", f"text {n}".encode()), WREN) for n in range(4)))
    assert sum(report.documents for report in reports) == 5
    assert sum(report.unchanged for report in reports) == 3
    assert bench.chunks() == 5


async def test_an_import_waits_for_another_process(bench: Bench) -> None:
    await bench.index(WREN)
    corpus = bench.catalogue.corpus("notes")
    async with writing(bench.catalogue, corpus.id):
        task = asyncio.create_task(bench.index(OAK))
        await asyncio.sleep(0.6)
        assert not task.done()
        assert bench.seen[-1].stage == "waiting"
    assert (await task).documents == 1


async def test_first_imports_at_once_do_not_trip_over_each_other(bench: Bench) -> None:
    corpus = bench.catalogue.create("notes", "words-1", "words", 300, 50)
    async with writing(bench.catalogue, corpus.id):
        imports = [asyncio.create_task(bench.index(file)) for file in (("e.txt", b""), WREN, ("f.txt", b""))]
        await asyncio.sleep(0.5)
        bench.catalogue.delete(corpus.id)  # as one does that leaves nothing
    reports = await asyncio.gather(*imports)
    assert sum(report.documents for report in reports) == 1
    assert bench.catalogue.corpus("notes").documents == bench.chunks() == 1


async def test_a_change_does_not_wait_long_for_an_import(bench: Bench) -> None:
    await bench.index(WREN)
    corpus = bench.catalogue.corpus("notes")
    async with writing(bench.catalogue, corpus.id):
        for change in (
            remove_corpus(corpus, catalogue=bench.catalogue, vectors=bench.vectors, patience=0.1),
            remove_documents(corpus, [], catalogue=bench.catalogue, vectors=bench.vectors, patience=0.1),
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
    hold, slow = bench.catalogue.hold, threading.Event()

    def late(corpus: str, writer: str, seconds: float) -> bool:
        if slow.is_set():
            time.sleep(0.3)
        return hold(corpus, writer, 60)

    monkeypatch.setattr(bench.catalogue, "hold", late)
    async with writing(bench.catalogue, corpus.id):
        slow.set()
        await asyncio.sleep(0.2)  # a renewal has begun
    assert hold(corpus.id, "another", 1)


async def test_reading_stays_a_few_steps_ahead(bench: Bench) -> None:
    bench.embedder = Embedder("words-1", "words", Slow(), bench.embedder.tokenizer, 240, builtin=True)
    await bench.index(*[(f"{number}.txt", f"slow word {number}".encode()) for number in range(1000)])
    ahead = [item.chunks_total - item.chunks for item in bench.seen]
    assert bench.seen[-1].chunks == 1000
    assert 64 <= max(ahead) <= 5 * 64
    assert bench.seen[-1].rate
    assert bench.seen[-1].left == 0
    assert any(item.left is None for item in bench.seen)


async def test_blocking_work_ends_before_a_cancellation_goes_on() -> None:
    done: list[bool] = []

    def work() -> None:
        time.sleep(0.2)
        done.append(True)

    task = asyncio.create_task(uninterrupted(work))
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.sleep(0.05)
    task.cancel()  # somebody is impatient
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == [True]


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
        await open_searcher(bench.catalogue, bench.vectors, bench.embedder, "nots", "dense")
    with pytest.raises(InputError, match="dense, keyword, hybrid"):
        await bench.open("sparse")


async def test_an_index_that_is_gone_is_named_and_made_again(bench: Bench) -> None:
    await bench.index(WREN, OAK)
    searcher = await bench.open("dense")
    bench.store().drop()
    with pytest.raises(StoreError, match="not on this Chroma server"):
        await searcher.search("wren", 4)
    with pytest.raises(StoreError, match="not on this Chroma server"):
        await bench.open("dense")
    report = await bench.index(WREN, OAK)
    assert (report.documents, report.unchanged) == (2, 0)
    assert names(await bench.search("wren", k=1))[0] == "wren.txt"


async def test_removing_a_corpus(bench: Bench) -> None:
    await bench.index(WREN)
    searcher, name = await bench.open("dense"), bench.store().name
    await remove_corpus(bench.catalogue.corpus("notes"), catalogue=bench.catalogue, vectors=bench.vectors)
    assert bench.catalogue.corpora() == []
    assert name not in {item.name for item in open_vectors(bench.vectors).list_collections()}
    with pytest.raises(StoreError, match="deleted"):
        await searcher.search("wren", 4)


async def test_removing_documents(bench: Bench) -> None:
    await bench.index(SHIP, WREN, OAK)
    searcher = await bench.open("keyword")
    corpus = bench.catalogue.corpus("notes")
    ids = [document_id(WREN[1]), document_id(OAK[1]), "f" * 16]

    async def remove() -> int:
        return await remove_documents(corpus, ids, catalogue=bench.catalogue, vectors=bench.vectors)

    assert (await remove(), await remove()) == (2, 0)
    assert not (await searcher.search("wren", 4)).hits, "an open searcher sees the change"
    assert [entry.name for entry in bench.catalogue.documents(corpus.id)] == ["ship.md"]
    assert bench.chunks() == 1
    assert (await bench.index(WREN)).documents == 1


async def test_a_corpus_is_reindexed_beside_the_old_one(bench: Bench) -> None:
    lines = b'{"id": "x", "title": "Harbour", "text": "It is large."}'
    await bench.index(SHIP, ("long.txt", long_text("slow")), ("corpus.jsonl", lines))
    old = bench.catalogue.corpus("notes")
    bench.catalogue.set_questions(old.id, [Question(text="How large?")])
    other = word_counts("words-2")

    async def reindex_as(name: str, embedder: Embedder = other, chunk: int = 60) -> IndexReport:
        return await reindex(
            old, name, catalogue=bench.catalogue, vectors=bench.vectors, embedder=embedder, chunk_tokens=chunk,
            overlap_tokens=10, progress=bench.seen.append, patience=1,
        )  # fmt: skip

    with pytest.raises(NameTaken):
        await reindex_as("notes")
    with pytest.raises(InputError, match="at most 67"):
        await reindex_as("x" * 68)
    slow = Embedder("words-2", "words", Slow(), bench.embedder.tokenizer, 240, builtin=True)
    bench.seen.clear()
    task = asyncio.create_task(reindex_as("small", slow))
    while not bench.seen or bench.seen[-1].stage != "indexing" or not bench.seen[-1].chunks:
        await asyncio.sleep(0.01)
    task.cancel()
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
    assert (tiny.documents, tiny.questions) == (3, (Question(text="How large?"),))
    assert bench.catalogue.ready(tiny.id) == bench.catalogue.ready(old.id)
    searcher = await open_searcher(bench.catalogue, bench.vectors, other, "tiny", "hybrid")
    assert (await searcher.search("harbour", 1)).hits
    assert names(await bench.search("wren number 7")), "the old one is as it was"


async def test_the_demo_is_indexed_once_per_model_with_its_questions(bench: Bench) -> None:
    async def demo() -> IndexReport:
        return await ensure_demo(bench.catalogue, bench.vectors, bench.embedder, Settings(_env_file=None))

    assert (await demo()).documents == 482
    assert ((again := await demo()).documents, again.unchanged) == (0, 482)
    corpus = bench.catalogue.corpus(DEMO_CORPUS)
    assert len(corpus.questions) == 60
    titles = bench.catalogue.ready(corpus.id)
    question = next(item for item in corpus.questions if "Full Moon High" in item.text)
    assert question.answers == ("Full Moon High",)
    assert question.type == "bridge_comparison"
    assert {"Full Moon High", "Eight on the Lam"} <= {titles[document] for document in question.gold}
    assert {item.type for item in corpus.questions} == {
        "bridge_comparison", "comparison", "compositional", "inference",
    }  # fmt: skip
    bench.embedder = word_counts("words-2")
    assert (await demo()).documents == 482
    (corpus,) = bench.catalogue.corpora()
    assert (corpus.embedder, len(corpus.questions), corpus.documents) == ("words-2", 60, 482)


async def test_no_server(bench: Bench) -> None:
    with pytest.raises(ServiceError, match="CHROMA_URL"):
        await ingest(
            [WREN],
            "notes",
            catalogue=bench.catalogue,
            vectors="http://127.0.0.1:9",
            embedder=bench.embedder,
            max_mb=1,
        )
    assert bench.catalogue.corpora() == []


async def test_the_event_loop_stays_free_while_indexing(bench: Bench) -> None:
    gaps: list[float] = []

    async def watch() -> None:
        before = time.monotonic()
        while True:
            await asyncio.sleep(0.005)
            gaps.append(time.monotonic() - before)
            before = time.monotonic()

    watcher = asyncio.create_task(watch())
    lines = b"\n".join(b'{"id": %d, "title": "T%d", "text": "text %d"}' % (n, n, n) for n in range(200))
    await bench.index(("corpus.jsonl", lines), ("long.txt", long_text("post", 5000)))
    watcher.cancel()
    assert max(gaps) < 1
