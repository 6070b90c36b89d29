"""Searches among the documents that a filter leaves: in every way, however few they are; and what is kept of them."""

from __future__ import annotations

import pytest

from core.corpora.documents import document_id
from core.corpora.filtering import parse_where
from core.corpora.reindexing import reindex
from core.retrieval.kinds import BUILTIN
from tests.servers.corpora.bench import Bench, names

KINDS = tuple(BUILTIN)
LETTER = b"---\nkind: letter\ndate: 1994-06\n---\n# A letter\n\nThe ferry to Port Carrick was late."
MINUTES = b"---\nkind: minutes\ndate: 1974\n---\n# The minutes\n\nThe board heard A letter about the ferry."
CARRICK = b"# Port Carrick\n\nA harbour for the ferry."
NOTES = [("notes/letter.md", LETTER), ("notes/old/minutes.md", MINUTES), ("carrick.md", CARRICK)]


async def found(bench: Bench, kind: str, *where: str) -> list[str]:
    retriever = (await bench.open(kind)).within(parse_where(where))
    return names(await retriever.search("Was the ferry late in Port Carrick?", 3))


@pytest.mark.parametrize("kind", KINDS)
async def test_only_documents_that_match_are_searched(bench: Bench, kind: str) -> None:
    await bench.index(*NOTES, *((f"{n}.txt", f"a ferry to an island, {n}".encode()) for n in range(20)))
    assert await found(bench, kind, "kind=Letter|nothing") == ["A letter"]
    assert set(await found(bench, kind, "folder=notes")) == {"A letter", "The minutes"}
    assert await found(bench, kind, "folder=notes/old") == ["The minutes"]
    assert set(await found(bench, kind, "date<=1994-06")) == {"A letter", "The minutes"}
    assert await found(bench, kind, "title~carrick", "type=markdown") == ["Port Carrick"]
    assert await found(bench, kind, "kind=nothing") == []
    assert len(await found(bench, kind)) == 10


async def test_the_nearest_of_a_few_are_the_nearest_of_all_that_match(bench: Bench) -> None:
    await bench.index(*((f"f{n % 50}/{n}.txt", f"ferry {'late ' * (n % 7)}{n}".encode()) for n in range(300)))
    retriever = await bench.open()
    every = await retriever.search("late late ferry", 300)
    for folder in ("f7", "f49"):
        some = await retriever.within(parse_where([f"folder={folder}"])).search("late late ferry", 4, depth=4)
        inside = [hit for hit in every.hits if hit.passage.title.startswith(f"{folder}/")]
        assert [hit.score for hit in some.hits] == pytest.approx([hit.score for hit in inside[:4]], abs=1e-5)
        assert {hit.passage.chunk for hit in some.hits} <= {hit.passage.chunk for hit in inside}


async def test_everything_is_everything_that_matches(bench: Bench) -> None:
    await bench.index(*NOTES)
    retriever = (await bench.open()).within(parse_where(["kind=letter|minutes"]))
    fitted = await retriever.everything(1000)
    assert [passage.title for passage, _ in fitted.given] == ["A letter", "The minutes"]
    assert "all 2 documents" in fitted.note
    assert await retriever.documents() == 2
    assert [field.name for field in await retriever.fields()] == ["folder", "date", "kind"]


async def test_facts_outlive_cutting_again_and_other_folders(bench: Bench) -> None:
    await bench.index(*NOTES)
    corpus = bench.catalogue.corpus("notes")
    (skipped,) = (await bench.index(("elsewhere/copy.md", LETTER))).skipped
    assert "same content" in skipped.reason
    known = bench.catalogue.about(corpus.id)
    letter = known[document_id(LETTER)]
    assert letter["folder"] == ("notes",)
    await reindex(corpus, "again", bench.stores, chunk_tokens=64, overlap_tokens=0)
    assert bench.catalogue.about(bench.catalogue.corpus("again").id) == known
