"""The demo corpora: made ready from what is shipped, kept as it is shipped, and nobody's corpus is taken for one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.corpora import demo as demo_module
from core.corpora import pipeline
from core.corpora.catalogue import Catalogue, NameTaken
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS, demo_documents, ensure_demo
from core.corpora.documents import Document, TextBuilder
from core.corpora.parsing import Parsers
from core.corpora.reports import IndexReport
from core.users import APP
from tests.embedder import WordCounts, word_counts
from tests.servers.corpora.bench import Bench, long_text
from tools.demo_world.parsing import dump_parsed

KOREAN = DEMO_CORPORA[1]


class Killed(BaseException):
    """The process ends here."""


def document(name: str, text: str, data: str = "") -> Document:
    builder = TextBuilder()
    builder.page()
    builder.heading(f"About {name}")
    builder.block(text)
    return builder.build(name, (data or text).encode(), "Harbour")


def question(text: str, document: str, quote: str) -> dict[str, Any]:
    evidence = [{"document": document, "quote": quote}]
    return {"id": "q1", "kind": "two hops", "text": text, "answers": ["dawn"], "evidence": evidence}


class World:
    """A small world that is shipped, and may be shipped anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "korean").mkdir(parents=True)
        self.documents = [
            document("ships.pdf", " ".join(f"Ship {n} left the harbour at dawn." for n in range(60))),
            document("gulls.md", "The gull is a bird."),
            document("light.docx", "The light went out in May."),
        ]
        self.question = question("When did ship 41 leave?", "ships.pdf", "Ship 41 left the harbour at dawn.")
        self.ship()

    def ship(self) -> None:
        korean = [document("ships.md", "배가 항구를 떠났다.")]
        parsed = {"documents": self.documents, "korean": korean}
        (self.folder / "parsed.jsonl").write_text(dump_parsed(parsed), encoding="utf-8")
        (self.folder / "questions.jsonl").write_text(json.dumps(self.question) + "\n", encoding="utf-8")
        (self.folder / "korean" / "questions.jsonl").write_text("", encoding="utf-8")

    @property
    def names(self) -> list[str]:
        return sorted(one.name for one in self.documents)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path / "world")
    monkeypatch.setattr(demo_module, "WORLD", world.folder)
    return world


async def ensure(bench: Bench, name: str = DEMO_CORPUS) -> IndexReport:
    return await ensure_demo(name, bench.stores)


def documents(bench: Bench, corpus: str = DEMO_CORPUS) -> list[str]:
    """The names of those that may be searched; each has all its chunks."""
    found = bench.catalogue.corpus(corpus)
    store, entries = ChunkStore(open_vectors(bench.vectors), found), bench.catalogue.documents(found.id)
    for entry in entries:
        assert entry.ready
        assert [one.position for one in store.document(entry.id)] == list(range(entry.chunks))
    return [entry.name for entry in entries]


def as_shipped(bench: Bench) -> int:
    return demo_documents(DEMO_CORPUS, bench.catalogue, bench.embedder)


async def test_it_is_indexed_once_per_model_with_its_questions_and_without_a_parser(
    bench: Bench, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parsers, "parse", lambda *_, **__: pytest.fail("nothing is to be parsed"))
    assert as_shipped(bench) == 0
    assert (await ensure(bench)).documents == as_shipped(bench) == 3
    assert ((again := await ensure(bench)).documents, again.unchanged) == (0, 3)
    corpus = bench.catalogue.corpus(DEMO_CORPUS)
    assert (corpus.owner, corpus.overlap_tokens) == (APP.owner, 0)
    ((evidence,),) = (one.evidence for one in corpus.questions)
    chunks = ChunkStore(open_vectors(bench.vectors), corpus).chunks(evidence.chunks)
    assert [evidence.quote in one.text for one in chunks.values()] == [True], (
        "without overlap it stands in one"
    )
    assert {one.page for one in chunks.values()} == {1}

    bench.embedder = word_counts("words-2")
    assert as_shipped(bench) == 0
    assert (await ensure(bench)).documents == as_shipped(bench) == 3
    (corpus,) = bench.catalogue.corpora()
    assert (corpus.embedder, len(corpus.questions)) == ("words-2", 1)


async def test_the_others_are_there_when_they_are_asked_for(bench: Bench, world: World) -> None:
    await ensure(bench)
    assert (await ensure(bench, KOREAN)).documents == 1
    assert documents(bench, KOREAN) == ["ships.md"]
    assert documents(bench) == world.names


async def test_what_a_later_version_ships_takes_the_place_of_what_was(bench: Bench, world: World) -> None:
    await ensure(bench)
    embeddings = bench.embedder.embeddings
    assert isinstance(embeddings, WordCounts)
    ships, gulls, _ = world.documents
    reparsed = replace(gulls, text=f"{gulls.text}\n\nIt cries.")
    world.documents = [ships, reparsed, document("light.docx", "The light went out in June.")]
    world.documents.append(document("new.csv", "year: 1921"))
    world.ship()
    assert as_shipped(bench) == 0
    embeddings.embedded.clear()
    report = await ensure(bench)
    assert (report.documents, report.unchanged) == (3, 1)
    assert documents(bench) == world.names
    assert not [text for text in embeddings.embedded if "Ship" in text], "what stays is not embedded again"

    world.documents.pop()
    world.question = question("Since when is it dark?", "light.docx", "The light went out in June.")
    world.ship()
    assert as_shipped(bench) == 0
    await ensure(bench)
    assert documents(bench) == world.names
    assert as_shipped(bench) == 3
    assert [one.text for one in bench.catalogue.corpus(DEMO_CORPUS).questions] == ["Since when is it dark?"]


async def test_two_processes_that_start_at_once_do_it_once(
    bench: Bench, world: World, tmp_path: Path
) -> None:
    other = Bench(tmp_path, bench.vectors)
    reports = await asyncio.gather(ensure(bench), ensure(other))
    assert sum(one.documents for one in reports) == 3
    assert documents(bench) == world.names
    assert len(bench.catalogue.corpora()) == 1


STEPS: list[tuple[Any, str, int]] = [
    (Catalogue, "create", 1),
    (Catalogue, "begin", 1),
    (ChunkStore, "add", 1),
    (ChunkStore, "add", 2),
    (Catalogue, "finish", 1),
    (Catalogue, "finish", 2),
    (ChunkStore, "remove", 1),
    (Catalogue, "forget", 1),
    (Catalogue, "set_questions", 1),
]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("owner", "name", "time"), STEPS)
@pytest.mark.parametrize("there", [False, True])
async def test_killed_in_the_middle_it_is_completed_by_the_next_start(
    bench: Bench,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    time: int,
    after: bool,
    there: bool,
) -> None:
    for size in ("_GROUP", "_BATCH", "_WRITTEN"):  # as with a long document, and sooner
        monkeypatch.setattr(pipeline, size, vars(pipeline)[size] // 4)
    world.documents.append(document("long.txt", long_text("slow", 225).decode()))
    world.ship()
    if there:
        await ensure(bench)
        world.documents[2:] = [document("long.txt", long_text("quick", 225).decode())]
        world.question = question("Which?", "long.txt", "The quick number 7 stands by the road.")
        world.ship()
    work: Callable[..., Any] = getattr(owner, name)
    calls: list[int] = []

    def killed(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        if len(calls) < time:
            return work(*args, **kwargs)
        if after and len(calls) == time:
            with suppress(NameTaken):
                work(*args, **kwargs)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, killed)
        try:
            await ensure(bench)
        except (Killed, BaseExceptionGroup):
            pass
        else:
            assert len(calls) < time, "it never came to that"
    await ensure(bench)
    assert documents(bench) == world.names
    assert as_shipped(bench) == len(world.documents)
    assert [corpus.name for corpus in bench.catalogue.corpora()] == [DEMO_CORPUS]
