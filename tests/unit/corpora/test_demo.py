"""What is shipped of the demo world is what its texts and its documents give."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest

from benchmarks.making_world.dataset import make_dataset
from benchmarks.making_world.making import MAKERS, MOST_MB, made, same, weight, written_files
from benchmarks.making_world.parsing import parse_world
from benchmarks.making_world.vectors import builtin
from benchmarks.making_world.written import read_written, words_of
from core.corpora.demo import DEMO_CORPORA, DEMOS, WORLD, DemoCorpus, own_documents
from core.corpora.documents import READER, Document
from tests.unit.benchmarks.test_making_world import words

MAKE = "run make demo-world"
WRITTEN = written_files(WORLD)


def words_in(text: str) -> list[str]:
    """The words of a text, without the borders of cells and the rulers of tables."""
    return [word for word in text.replace("|", " ").split() if word.strip("-")]


READ_BETTER = {
    *("census.csv", "officers.csv", "ships.csv", "tender-bridge-painting.docx"),
    *("courier-1974-ledger.html", "officers.md"),
}
"""Documents with tables, whose shipped texts are by the first version of the loaders: today's write a table another way
(`core.corpora.rows`), and what is shipped stays, with its passages and vectors."""


@pytest.fixture(scope="module")
def parsed() -> dict[str, list[Document]]:
    return parse_world(WORLD)


@pytest.mark.parametrize("demo", DEMOS, ids=DEMO_CORPORA)
def test_its_documents_are_as_their_loaders_parse_them(
    parsed: dict[str, list[Document]], demo: DemoCorpus
) -> None:
    own, today = own_documents(demo), parsed[demo.folder]
    assert own, "there are some"
    assert [one.name for one in own] == [one.name for one in today], MAKE
    for shipped, read in zip(own, today, strict=True):
        if shipped.reader == READER:
            assert shipped == read, MAKE
        elif shipped.name not in READ_BETTER and Path(shipped.name).suffix != ".pdf":
            assert shipped == replace(read, id=shipped.id, reader=shipped.reader), MAKE
        else:
            assert (shipped.title, shipped.about) == (read.title, read.about)
            lost = Counter(words_in(shipped.text)) - Counter(words_in(read.text))
            assert not lost or Path(shipped.name).suffix == ".pdf", lost


@pytest.mark.parametrize("target", WRITTEN, ids=[target.name for target in WRITTEN])
def test_a_made_document_is_what_was_written(parsed: dict[str, list[Document]], target: Path) -> None:
    file = WRITTEN[target]
    assert same(target.read_bytes(), made(file)), MAKE
    (document,) = (one for one in parsed["documents"] if one.name == target.name)
    assert sorted(words(document)) == sorted(words_of(read_written(file.read_text(encoding="utf-8"))))


def test_every_made_document_has_its_text() -> None:
    assert {file for file in (WORLD / "documents").iterdir() if file.suffix in MAKERS} == set(WRITTEN)


def test_its_data_set_is_its_passages_and_questions(tmp_path: Path) -> None:
    copy(WORLD / "questions.jsonl", tmp_path)
    make_dataset(tmp_path, list(own_documents(DEMOS[0])), builtin())
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        assert (tmp_path / name).read_bytes() == (WORLD / name).read_bytes(), MAKE


def test_it_is_light() -> None:
    assert 0 < weight(WORLD) <= MOST_MB
