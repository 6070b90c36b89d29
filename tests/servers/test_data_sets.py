"""Data sets on real Chroma and real embeddings: pooled from all retrievers, and about documents, not chunks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.errors import InputError
from core.evaluation.dataset_catalogue import RECORDED, SHIPPED, DataSets, find_data_set
from core.evaluation.datasets import files_of, read_zip, to_zip
from core.evaluation.making import (
    corpus_of_set,
    document_mark,
    documents_of,
    match_documents,
    pool,
    read_question_list,
)
from core.evaluation.plan import Setting
from core.evaluation.results import report
from core.evaluation.runner import Evaluations, New
from core.evaluation.set_store import MadeQuestion, SetStore
from core.jobs import run_blocking
from core.retrieval.kinds import RETRIEVERS
from core.runs.workbench import Workbench
from core.users import User
from tests.bench import open_bench
from tests.embedder import word_counts
from tests.homes import Homes
from tests.postgres import PostgresServer
from tests.unit.evaluation import test_set_store as on_sqlite

SHIP = " ".join(f"Ship {number} left the harbour at dawn." for number in range(60))
FILES = [
    ("ships.md", f"# Ships\n\n{SHIP}".encode()),
    ("wren.txt", b"The wren is a small brown bird of nine grams. It sings in winter."),
    ("owl.txt", b"The owl hunts at night. It hears a mouse under snow."),
    ("empty-ish.txt", b"Nothing of interest is said here at all."),
]
QUESTION = "How heavy is the small brown bird?"


@pytest.fixture(scope="module")
def bench(homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.new())
    bench.corpora.index(FILES, "Nature", 60, 10).result()
    yield bench
    bench.backends.supervisor.release()


@pytest.fixture
def sets(bench: Workbench) -> Iterator[DataSets]:
    sets = DataSets(bench)
    yield sets
    for one in sets.store.list(None):
        sets.store.delete(one.id)


def entry_of(bench: Workbench, corpus: str, name: str) -> Any:
    found = bench.corpora.catalogue.corpus(corpus)
    return next(one for one in bench.corpora.catalogue.documents(found.id) if one.name == name)


def made(bench: Workbench, sets: DataSets, corpus: str = "Nature") -> str:
    """A set of one question whose evidence is the wren."""
    key = sets.store.make("Birds", bench.corpora.catalogue.corpus(corpus), "me")
    mark = document_mark(entry_of(bench, corpus, "wren.txt"), 2)
    sets.questions.add(key, [MadeQuestion("", QUESTION, "fact", ("nine grams",), (mark,))])
    return key


def gold(sets: DataSets, key: str) -> dict[str, int]:
    """Title or beginning of the text of each gold document -> grade."""
    dataset = sets.open(key)
    texts = {one.id: one.text for one in dataset.documents}
    return {texts[document][:8]: grade for document, grade in dataset.questions[0].gold.items()}


def test_candidates_come_from_all_retrievers_and_are_documents(bench: Workbench) -> None:
    found = run_blocking(pool(bench.corpora, "Nature", "Which ship left at dawn?"))
    assert found.note == ""
    ship = found.candidates[0]
    assert [kind for kind, _ in ship.ranks] == list(RETRIEVERS)
    assert min(rank for _, rank in ship.ranks) == 1
    assert len(ship.passages) > 1
    assert len({one.document for one in found.candidates}) == len(found.candidates)
    # Keyword search does not find what shares no word; dense search does, and it is in the pool.
    owl = run_blocking(pool(bench.corpora, "Nature", "nocturnal predator")).candidates
    assert {kind for one in owl for kind, _ in one.ranks} == {"dense", "hybrid", "linked"}


def test_with_another_embedding_model_keywords_alone_look(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(bench.backends), "embedder", word_counts())
    found = run_blocking(pool(bench.corpora, "Nature", "wren"))
    assert "Only keyword search can look here" in found.note
    assert [one.ranks for one in found.candidates] == [(("keyword", 1),)]


def test_a_made_set_is_evaluated_and_taken_home(bench: Workbench, sets: DataSets) -> None:
    key = made(bench, sets)
    dataset = sets.open(key)
    assert len(dataset.documents) == 4
    assert gold(sets, key) == {"The wren": 2}
    assert next(one.text for one in dataset.documents if one.text.startswith("# Ships")).count("Ship ") == 60
    assert read_zip("Birds.zip", to_zip(files_of(dataset))) == dataset
    evaluations = Evaluations(bench.launcher)
    job = evaluations.start(
        New(dataset, (Setting(label="plain", strategy="plain"),), retrieval_only=True), User("me")
    )
    found = job.result(60)
    told = report(found, evaluations.store.outcomes(found.id))
    assert told["strategies"]["plain"]["metrics"]["RR@10"] == 1
    assert find_data_set(bench, "Birds") == find_data_set(bench, key) == dataset


def test_marks_stay_with_the_document(bench: Workbench, sets: DataSets) -> None:
    bench.corpora.reindex("Nature", "Recut", 30, 5).result()
    key = made(bench, sets)
    sets.store.move(key, bench.corpora.catalogue.corpus("Recut"))
    assert gold(sets, key) == {"The wren": 2}  # cut into other chunks
    bench.corpora.index(
        [("wren.txt", b"The wren weighs nine grams, says the second edition.")], "Recut"
    ).result()
    assert gold(sets, key) == {"The wren": 2}  # corrected, under the same name
    assert "second edition" in str(sets.open(key).documents)
    bench.corpora.delete_documents("Recut", [entry_of(bench, "Recut", "wren.txt").id])
    assert gold(sets, key) == {}
    assert len(sets.questions.list(key)[0].marks) == 1
    bench.corpora.index([FILES[1]], "Recut").result()
    assert gold(sets, key) == {"The wren": 2}  # it is back
    bench.corpora.delete("Recut")
    with pytest.raises(InputError, match="corpus “Recut” of this data set has been deleted"):
        sets.open(key)
    bench.corpora.reindex("Nature", "Recut").result()  # made anew under its name
    assert gold(sets, key) == {"The wren": 2}
    bench.corpora.delete("Recut")


def test_everybody_has_their_own(bench: Workbench, sets: DataSets) -> None:
    key = made(bench, sets)
    (mine, *shipped) = sets.described(["me"])
    assert (mine.id, mine.questions, mine.documents, mine.origin) == (key, 1, 4, "made")
    assert [one.id for one in shipped] == [one.id for one in sets.described(["other"])]
    assert [one.id for one in shipped] == [RECORDED, *SHIPPED]
    assert sets.visible(key, ["other"]) is None
    sets.store.pin(key, True)
    assert sets.visible(key, ["other"]) is not None
    uploaded = sets.store.add(sets.open(key), "other")
    assert (sets.open(uploaded).questions, sets.open(uploaded).name) == (sets.open(key).questions, "Birds")
    with pytest.raises(InputError, match="2 data sets are called “Birds”"):
        find_data_set(bench, "Birds")
    with pytest.raises(
        InputError, match="not a folder and no stored data set. Stored: “Birds”, “Birds”, “Pellamar, rec"
    ):
        find_data_set(bench, "/nowhere")


def test_what_is_not_finished_cannot_be_used(bench: Workbench, sets: DataSets) -> None:
    key = sets.store.make("Empty", bench.corpora.catalogue.corpus("Nature"), "me")
    sets.questions.add(key)
    with pytest.raises(InputError, match="“Empty” has no question yet"):
        sets.open(key)


def test_a_list_is_brought_in_and_what_is_unknown_is_named(bench: Workbench, sets: DataSets) -> None:
    corpus = corpus_of_set(bench.corpora, sets.store.get(made(bench, sets)))
    documents = documents_of(bench.corpora.catalogue.documents(corpus.id))
    listed = read_question_list(
        "list.csv", b"question,answers,gold\nHow heavy?,9 g|nine grams,WREN.txt|unicorn.txt\nWhen?,,\n"
    )
    (first, second), unresolved = match_documents(listed, documents)
    assert unresolved == ["Line 2: the corpus has no document “unicorn.txt”."]
    assert (first.answers, [mark.name for mark in first.marks]) == (("9 g", "nine grams"), ["wren.txt"])
    assert (second.text, second.marks) == ("When?", ())


@pytest.mark.parametrize(
    "check",
    [
        on_sqlite.test_an_uploaded_set_comes_back_as_it_was,
        on_sqlite.test_everybody_sees_their_own_and_what_is_pinned,
        on_sqlite.test_questions_are_kept_step_by_step,
        on_sqlite.test_what_cannot_be_kept_changes_nothing,
    ],
)
def test_on_a_database_server_as_on_sqlite(
    check: Callable[..., None], postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {"sets": SetStore(postgres.new_database()), "monkeypatch": monkeypatch}
    check(**{name: given[name] for name in inspect.signature(check).parameters})
