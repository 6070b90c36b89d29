"""Corpora and documents in a real SQLite file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.corpora.catalogue import Catalogue, CorpusDeleted, NameTaken, corpus_name
from core.corpora.documents import READER, Document
from core.corpora.entries import Corpus, Question
from core.errors import InputError, StoreError
from core.retrieval.corpus import SearchableCorpus
from core.users import APP


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'new folder' / 'catalogue.sqlite'}"


@pytest.fixture
def catalogue(database: str) -> Catalogue:
    return Catalogue(database)


def make(catalogue: Catalogue, name: str = "notes") -> Corpus:
    return catalogue.create(name, "model-1", "Model one", 300, 50)


def document(letter: str) -> Document:
    return Document(id=letter * 16, name=f"{letter}.txt", title="", text="some text")


def test_a_corpus_survives_the_process(catalogue: Catalogue, database: str) -> None:
    made = make(catalogue, " 한국어 노트 ")
    question = Question(text="Who?", type="bridge", answers=("me",), gold=("a" * 16,))
    catalogue.set_questions(made.id, [question])
    found = Catalogue(database).corpus("한국어 노트")
    assert (found.id, found.name, found.questions) == (made.id, "한국어 노트", (question,))
    assert found.id.isascii()
    assert found.created.tzinfo is not None
    assert (found.documents, found.chunks) == (0, 0)


def test_names_are_unique_and_checked(catalogue: Catalogue) -> None:
    make(catalogue, "café")
    with pytest.raises(NameTaken):
        make(catalogue, "cafe\u0301")  # the same in decomposed form
    for unfit in ("", "   ", "x" * 81, "a\nb", "a\u202eb"):
        with pytest.raises(InputError):
            corpus_name(unfit)
    assert corpus_name("x" * 80)


def test_an_unknown_corpus_names_the_others(catalogue: Catalogue) -> None:
    with pytest.raises(InputError, match="none yet"):
        catalogue.corpus("x")
    make(catalogue, "alpha")
    make(catalogue, "beta")
    with pytest.raises(InputError, match="“x”.*“alpha”, “beta”"):
        catalogue.corpus("x")


@pytest.mark.parametrize(("owner", "outdated"), [("me", 1), (APP.owner, 0)])
def test_documents_of_an_earlier_reader_are_counted_but_for_lines_and_what_comes_with_the_app(
    catalogue: Catalogue, owner: str, outdated: int
) -> None:
    made = catalogue.create("notes", "model-1", "Model one", 300, 50, owner=owner)
    older = replace(document("a"), reader=READER - 1)
    catalogue.begin(made.id, [(older, 1), (replace(older, id="b" * 16, key="7"), 1), (document("c"), 1)])
    catalogue.hold(made.id, "me", 10)
    catalogue.finish(made.id, "me", ["a" * 16, "b" * 16, "c" * 16], [])
    assert [entry.outdated for entry in catalogue.documents(made.id)] == [True, False, False]
    assert catalogue.corpus("notes").outdated == outdated


def test_only_ready_documents_count(catalogue: Catalogue) -> None:
    corpus = make(catalogue)
    assert catalogue.hold(corpus.id, "me", 10)
    catalogue.begin(corpus.id, [(document("a"), 3), (document("b"), 4)])
    assert catalogue.ready(corpus.id) == {}
    assert [entry.ready for entry in catalogue.documents(corpus.id)] == [False, False]
    version = catalogue.version(corpus.id)
    catalogue.finish(corpus.id, "me", ["a" * 16], [])
    assert catalogue.ready(corpus.id) == {"a" * 16: ""}
    assert catalogue.version(corpus.id) > version
    found = catalogue.corpus("notes")
    assert (found.documents, found.chunks) == (1, 3)
    catalogue.finish(corpus.id, "me", ["b" * 16], ["a" * 16])
    assert catalogue.ready(corpus.id) == {"b" * 16: ""}
    catalogue.forget(corpus.id, ["a" * 16])
    assert [entry.name for entry in catalogue.documents(corpus.id)] == ["b.txt"]


def test_a_snapshot_has_the_documents_of_its_version(database: str) -> None:
    """A corpus that changes between the look at its version and the reading of its documents: caches go by both."""

    class Overtaken(Catalogue):
        def version(self, corpus: str) -> int:
            version = super().version(corpus)
            self.finish(corpus, "me", [], ["a" * 16])
            return version

    catalogue = Overtaken(database)
    corpus = make(catalogue)
    assert catalogue.hold(corpus.id, "me", 10)
    catalogue.begin(corpus.id, [(document("a"), 3)])
    catalogue.finish(corpus.id, "me", ["a" * 16], [])
    snapshot = SearchableCorpus(corpus, catalogue, "http://not-asked").snapshot()
    assert (snapshot.version, snapshot.titles) == Catalogue(database).ready_version(corpus.id)
    assert snapshot.titles == {}


def test_one_writer_at_a_time(catalogue: Catalogue) -> None:
    corpus = make(catalogue)
    assert catalogue.hold(corpus.id, "first", 60)
    assert catalogue.hold(corpus.id, "first", 60)
    assert not catalogue.hold(corpus.id, "second", 60)
    with pytest.raises(StoreError, match="taken over"):
        catalogue.finish(corpus.id, "second", [], [])
    catalogue.release(corpus.id, "second")
    assert not catalogue.hold(corpus.id, "second", 60)
    catalogue.release(corpus.id, "first")
    assert catalogue.hold(corpus.id, "second", -1)
    assert catalogue.hold(corpus.id, "third", 60), "a hold that has run out is free"


def test_renaming(catalogue: Catalogue) -> None:
    corpus = make(catalogue)
    make(catalogue, "others")
    catalogue.rename(corpus.id, " cafe\u0301 ")
    assert catalogue.corpus("café").id == corpus.id
    assert catalogue.version(corpus.id) > corpus.version
    catalogue.rename(corpus.id, "café")
    with pytest.raises(NameTaken, match="“others”"):
        catalogue.rename(corpus.id, "others")
    with pytest.raises(InputError):
        catalogue.rename(corpus.id, "a\nb")
    with pytest.raises(CorpusDeleted):
        catalogue.rename("gone", "more")
    assert [item.name for item in catalogue.corpora()] == ["café", "others"]


def test_deleting(catalogue: Catalogue) -> None:
    corpus = make(catalogue)
    catalogue.begin(corpus.id, [(document("a"), 1)])
    catalogue.delete(corpus.id)
    assert catalogue.corpora() == []
    assert catalogue.documents(corpus.id) == []
    with pytest.raises(StoreError, match="deleted"):
        catalogue.version(corpus.id)


def test_a_database_that_cannot_be_used_keeps_its_password(tmp_path: Path) -> None:
    for url in ("mysql+nosuch://user:hunter2@db/x", "not a url hunter2", f"sqlite:///{tmp_path}"):
        with pytest.raises(StoreError) as raised:
            Catalogue(url)
        assert "hunter2" not in str(raised.value)
        assert "DATABASE_URL" in str(raised.value)
