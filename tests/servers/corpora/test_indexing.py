"""Indexing and searching on a real Chroma server: every retriever, idempotent, and what is left out told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.trace.passages import Passage
from tests.embedder import WordCounts
from tests.servers.corpora.bench import OAK, SHIP, WREN, Bench, long_text, names


async def test_documents_are_found_by_every_retriever(bench: Bench) -> None:
    report = await bench.index(SHIP, WREN, OAK)
    assert (report.corpus, report.documents, report.chunks, report.unchanged) == ("notes", 3, 3, 0)
    for kind, score_name in (
        ("dense", "cosine similarity"),
        ("keyword", "BM25 score"),
        ("hybrid", "RRF score"),
        ("linked", "RRF score"),  # no title is mentioned
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


async def test_the_nearest_are_found_all_of_them(bench: Bench) -> None:
    """Chroma's own setting loses some for 7 of these 100 queries."""
    await bench.index(WREN)
    random = np.random.default_rng(0)
    chunks, queries = (random.normal(size=(count, 48)) for count in (3000, 100))
    store = ChunkStore(
        open_vectors(bench.vectors), replace(bench.catalogue.corpus("notes"), id="many"), create=True
    )
    unit = chunks / np.linalg.norm(chunks, axis=1, keepdims=True)
    names = [f"chunk-{number}" for number in range(len(unit))]
    for start in range(0, len(unit), 500):
        store.add(
            [
                Passage(chunk=name, document=name, title="", text=name, position=0, start=0, end=1)
                for name in names[start : start + 500]
            ],
            unit[start : start + 500].tolist(),
        )
    documents = frozenset(names)
    for query, hits in zip(queries, store.nearest(queries.tolist(), 10, documents), strict=True):
        assert [passage.chunk for passage, _ in hits] == [
            names[place] for place in np.argsort(-(unit @ query))[:10]
        ]
    store.drop()


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
    retriever = await bench.open("hybrid")
    dense, keyword = await retriever.lists("common word3", 4)
    assert [dense.retriever, keyword.retriever] == ["dense", "keyword"]
    assert len(dense.hits) == len(keyword.hits) == 10
    assert len(dense.used) == 4
    assert len((await retriever.search("common word3", 12)).hits) == 12
    fused = await retriever.search("common word3", 4)
    assert len(fused.hits) == 10
    assert fused.hits[0].score == pytest.approx(2 / 61)
    assert fused.hits[0].passage.text == "common word3"


async def test_links_lead_to_what_neither_words_nor_vectors_find(bench: Bench) -> None:
    documents = [
        ("anna.md", b"# Anna Dacre\n\nAnna Dacre wrote letters to Bert Olsen."),
        ("bert.md", b"# Bert Olsen (pilot)\n\nBorn in Carrick."),
        *[(f"{number}.txt", f"letters about wood and wool, {number}".encode()) for number in range(15)],
    ]
    await bench.index(*documents)
    retriever = await bench.open("linked")
    (found,) = await retriever.lists("Where was the man born to whom Anna wrote letters?", 4)
    assert (found.retriever, found.score_name, len(found.hits)) == ("linked", "walk and cosine", 10)
    assert names(found)[:2] == ["Anna Dacre", "Bert Olsen (pilot)"]
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    mean = await retriever.search_mean("wool", ["Anna Dacre wrote letters."], with_question=False, k=2)
    assert names(mean)[:2] == ["Anna Dacre", "Bert Olsen (pilot)"]
    # Without links it is hybrid retrieval, and says so; the graph is made anew when the corpus has changed.
    hybrid = await bench.search("wood", "hybrid")
    assert names(await bench.search("wood", "linked"))[0] == names(hybrid)[0]
    await bench.index(("anna.md", b"# Anna Dacre\n\nAnna Dacre wrote letters."))
    bare = await retriever.search("letters", 4)
    assert bare.hits == (await bench.search("letters", "hybrid")).hits
    assert "nothing to walk along" in bare.note


async def test_searches_at_once_give_what_they_give_alone(bench: Bench) -> None:
    await bench.index(SHIP, WREN, OAK)
    retriever = await bench.open("dense")
    queries = ["a bird", "the harbour", "acorns", "winter", "dawn"]
    together = await asyncio.gather(
        *(retriever.search(query, 1, depth) for query, depth in zip(queries, (1, 2, 3, 1, 2), strict=True))
    )
    assert [len(ranking.hits) for ranking in together] == [1, 2, 3, 1, 2]
    for query, ranking in zip(queries, together, strict=True):
        alone = await retriever.search(query, 1, len(ranking.hits))
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
    retriever = await bench.open("keyword")
    assert (await retriever.search("wren", 4)).hits
    report = await bench.index(SHIP, ("bird.txt", b"Now a robin."))
    assert (report.documents, report.chunks, report.unchanged) == (1, 1, 1)
    assert not (await retriever.search("wren", 4)).hits, "an open retriever sees the change"
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
