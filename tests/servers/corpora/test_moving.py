"""What was added to the demo corpus in an older home is moved into a corpus of its own; what it replaced comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.corpora import demo as demo_module
from core.corpora.catalogue import Catalogue
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.demo import DEMO_CORPUS, ensure_demo
from core.corpora.documents import document_id
from core.corpora.ingestion import ingest
from core.corpora.reports import IndexReport
from core.corpora.sources import Source
from core.settings import Settings
from tests.embedder import WordCounts, word_counts
from tests.servers.corpora.bench import OAK, WREN, Bench, long_text

OWN = [{"id": f"d{n}", "title": f"Harbour {n}", "text": f"Ship {n} left the harbour."} for n in range(4)]
FORGED = ("corpus.jsonl", json.dumps({"id": "d2", "title": "Harbour 2", "text": "All false."}).encode())
LONG = ("long.txt", long_text("slow", 400))
ADDED = f"Added to {DEMO_CORPUS}"


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def demo(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """With a small demo."""
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in OWN))
    (folder / "queries.jsonl").write_text(json.dumps({"id": "q1", "text": "Which ship?"}) + "\n")
    (folder / "qrels.tsv").write_text("qid\tdocid\trel\nq1\td2\t1\n")
    monkeypatch.setattr(demo_module, "_FOLDER", folder)
    return bench


async def ensure(bench: Bench) -> IndexReport:
    return await ensure_demo(DEMO_CORPUS, bench.stores, Settings(_env_file=None))


async def add(bench: Bench, corpus: str, *sources: Source) -> None:
    """As it was possible once: into a corpus whosever it is."""
    await ingest(sources, corpus, bench.stores, max_mb=25)


def documents(bench: Bench, corpus: str) -> list[str]:
    """The names of those that may be searched; each has all its chunks."""
    found = bench.catalogue.corpus(corpus)
    entries = bench.catalogue.documents(found.id)
    store = ChunkStore(open_vectors(bench.vectors), found)
    for entry in entries:
        assert entry.ready
        chunks = store.document(entry.id)
        assert [chunk.position for chunk in chunks] == list(range(entry.chunks))
    return [entry.name for entry in entries]


def vectors(bench: Bench, corpus: str, document: str) -> dict[str, list[float]]:
    store = ChunkStore(open_vectors(bench.vectors), bench.catalogue.corpus(corpus))
    return store.vectors([chunk.chunk for chunk in store.document(document)])


def embedded(bench: Bench) -> list[str]:
    counts = bench.embedder.embeddings
    assert isinstance(counts, WordCounts)
    return counts.embedded


OWN_NAMES = [f"corpus.jsonl:d{n}" for n in range(4)]


async def test_what_was_added_is_moved_with_its_vectors(demo: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.corpora.chunk_store._PAGE", 7)
    await ensure(demo)
    await add(demo, DEMO_CORPUS, WREN, LONG, FORGED)
    assert "corpus.jsonl:d2" in documents(demo, DEMO_CORPUS)
    before = {item: vectors(demo, DEMO_CORPUS, document_id(item[1])) for item in (WREN, LONG)}
    embedded(demo).clear()

    report = await ensure(demo)
    assert (report.moved_to, report.documents, report.unchanged) == (ADDED, 1, 3)
    assert documents(demo, DEMO_CORPUS) == OWN_NAMES
    assert [text for text in embedded(demo) if "Ship 2" not in text] == [], "only what comes back"
    assert documents(demo, ADDED) == ["corpus.jsonl:d2", "long.txt", "wren.txt"]
    for (name, data), there in before.items():
        now = vectors(demo, ADDED, document_id(data))
        assert now.keys() == there.keys()
        for chunk, vector in there.items():  # Chroma rounds what it gives back
            assert now[chunk] == pytest.approx(vector, rel=1e-5), name
    moved = demo.catalogue.corpus(ADDED)
    assert (moved.owner, moved.moved_from) == ("", DEMO_CORPUS)
    (question,) = demo.catalogue.corpus(DEMO_CORPUS).questions
    entries = demo.catalogue.documents(demo.catalogue.corpus(DEMO_CORPUS).id)
    assert question.gold == tuple(entry.id for entry in entries if entry.key == "d2")

    assert (await ensure(demo)).moved_to == "", "once"
    await add(demo, DEMO_CORPUS, OAK)
    assert (await ensure(demo)).moved_to == ADDED
    assert "oak.txt" in documents(demo, ADDED)


async def test_the_name_is_free_and_another_embedding_model_loses_nothing(demo: Bench) -> None:
    await ensure(demo)
    await add(demo, ADDED, OAK)
    await add(demo, DEMO_CORPUS, WREN)
    demo.embedder = word_counts("words-2")
    assert (await ensure(demo)).moved_to == f"{ADDED} (2)"
    assert demo.catalogue.corpus(DEMO_CORPUS).embedder == "words-2"
    assert documents(demo, DEMO_CORPUS) == OWN_NAMES
    assert documents(demo, ADDED) == ["oak.txt"]
    assert documents(demo, f"{ADDED} (2)") == ["wren.txt"]
    assert demo.catalogue.corpus(f"{ADDED} (2)").embedder == "words-1"


async def test_nothing_is_moved_whose_chunks_are_on_no_server(demo: Bench) -> None:
    await ensure(demo)
    await add(demo, DEMO_CORPUS, WREN)
    ChunkStore(open_vectors(demo.vectors), demo.catalogue.corpus(DEMO_CORPUS)).drop()
    assert (await ensure(demo)).moved_to == ""
    assert documents(demo, DEMO_CORPUS) == OWN_NAMES
    assert [corpus.name for corpus in demo.catalogue.corpora()] == [DEMO_CORPUS]


STEPS: dict[str, tuple[Any, str]] = {
    "create": (Catalogue, "create"),
    "adopt": (Catalogue, "adopt"),
    "copy": (ChunkStore, "copy"),
    "finish": (Catalogue, "finish"),
    "remove": (ChunkStore, "remove"),
    "forget": (Catalogue, "forget"),
}


KILLS = [
    (step, time, after)
    for step in STEPS
    for time in (1, 2)
    for after in (False, True)
    if time == 1 or step in ("adopt", "copy", "finish")
]


@pytest.mark.parametrize(("step", "time", "after"), KILLS)
async def test_killed_in_the_middle_it_is_completed_by_the_next_start(
    demo: Bench, monkeypatch: pytest.MonkeyPatch, step: str, time: int, after: bool
) -> None:
    monkeypatch.setattr("core.corpora.moving._PORTION", 1)
    await ensure(demo)
    await add(demo, DEMO_CORPUS, WREN, OAK, FORGED)
    owner, name = STEPS[step]
    work: Callable[..., Any] = getattr(owner, name)
    calls: list[int] = []

    def killed(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        if len(calls) < time:
            return work(*args, **kwargs)
        if after and len(calls) == time:
            work(*args, **kwargs)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, killed)
        with pytest.raises((Killed, BaseExceptionGroup)):
            await ensure(demo)
    await ensure(demo)
    assert documents(demo, DEMO_CORPUS) == OWN_NAMES
    assert documents(demo, ADDED) == ["corpus.jsonl:d2", "oak.txt", "wren.txt"]
    assert [corpus.name for corpus in demo.catalogue.corpora()] == [ADDED, DEMO_CORPUS]
