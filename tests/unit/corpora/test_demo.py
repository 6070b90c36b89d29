"""What is shipped of the demo world is what its texts and its documents give."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from core.corpora.demo import DEMO_CORPORA, DEMOS, WORLD, DemoCorpus, own_documents
from core.corpora.documents import Document
from tests.unit.tools.test_demo_world import words
from tools.demo_world.dataset import make_dataset
from tools.demo_world.making import MAKERS, MOST_MB, made, same, weight, written_files
from tools.demo_world.parsing import parse_world
from tools.demo_world.vectors import builtin
from tools.demo_world.written import read_written, words_of

MAKE = "run make demo-world"
WRITTEN = written_files(WORLD)


@pytest.fixture(scope="module")
def parsed() -> dict[str, list[Document]]:
    return parse_world(WORLD)


@pytest.mark.parametrize("demo", DEMOS, ids=DEMO_CORPORA)
def test_its_documents_are_as_their_loaders_parse_them(
    parsed: dict[str, list[Document]], demo: DemoCorpus
) -> None:
    own = own_documents(demo)
    assert own, "there are some"
    assert list(own) == parsed[demo.folder], MAKE


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
