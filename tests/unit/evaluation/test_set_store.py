"""Stored data sets: uploaded whole, or made question by question; each user sees their own and what is pinned."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.corpora.entries import Corpus
from core.errors import InputError
from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import data_set, read_files
from core.evaluation.set_store import MadeQuestion, MadeQuestions, Mark, SetStore

UPLOADED = data_set(
    "Vögel 새",
    (DataDocument("a", "", "Zaunkönig\n\n<script>"), DataDocument("b", "새", "굴뚝새")),
    (
        LabelledQuestion("q1", "Wie schwer?", "fact", ("9 g", "neun"), {"a": 2}),
        LabelledQuestion("q2", "?", "", (), {}),
    ),
)
CORPUS = Corpus("c1", "Birds", datetime.now(UTC), "e", "e", 300, 50, 1, (), 2, 2)
WREN = Mark("d1", 2, "wren.txt", "Wren")
OWL = Mark("d2", 1, "owl.txt", "Owl")


@pytest.fixture
def sets(tmp_path: Path) -> SetStore:
    return SetStore(f"sqlite:///{tmp_path / 'test.sqlite'}")


def test_an_uploaded_set_comes_back_as_it_was(sets: SetStore) -> None:
    key = sets.add(UPLOADED, "me")
    found = sets.get(key)
    assert (found.name, found.origin, found.questions, found.documents) == ("Vögel 새", "uploaded", 2, 2)
    assert read_files("Vögel 새", sets.files(key)) == UPLOADED
    sets.delete(key)
    assert sets.files(key) == {}
    with pytest.raises(InputError, match="not stored in this app"):
        sets.get(key)


def test_everybody_sees_their_own_and_what_is_pinned(sets: SetStore) -> None:
    mine, theirs = sets.add(UPLOADED, "me"), sets.make("Theirs", CORPUS, "them")
    assert [one.id for one in sets.list(["me"])] == [mine]
    sets.pin(theirs, True)
    assert [one.id for one in sets.list(["me"])] == [theirs, mine]
    sets.pin(theirs, False)
    assert [one.id for one in sets.list(["them"])] == [theirs]
    assert {one.id for one in sets.list(None)} == {mine, theirs}


def test_names_are_checked(sets: SetStore) -> None:
    key = sets.make("  Birds ", CORPUS, "me")
    assert sets.get(key).name == "Birds"
    for name in ("", " ", "x" * 61, "a\nb", "a\u202eb"):
        with pytest.raises(InputError, match="name of a data set"):
            sets.rename(key, name)
        with pytest.raises(InputError, match="name of a data set"):
            sets.make(name, CORPUS, "me")
    assert [one.name for one in sets.list(None)] == ["Birds"]


def test_questions_are_kept_step_by_step(sets: SetStore) -> None:
    made, key = MadeQuestions(sets), sets.make("Birds", CORPUS, "me")
    (one,) = made.add(key)
    assert sets.get(key).questions == 0  # its text is still empty
    made.write(key, one, " How heavy is\n a wren? ", ["9 g", "", "9 g", "nine grams "], "fact")
    made.mark(key, one, WREN)
    made.mark(key, one, OWL)
    (two,) = made.add(key, [MadeQuestion("", "And an owl?", marks=(OWL,))])
    first, second = made.list(key)
    assert first == MadeQuestion(one, "How heavy is a wren?", "fact", ("9 g", "nine grams"), (OWL, WREN))
    assert second == MadeQuestion(two, "And an owl?", "", (), (OWL,))
    assert sets.get(key).questions == 2
    made.mark(key, one, Mark("d1-new", 1, "wren.txt", "Wren"), instead=["d1"])
    made.mark(key, one, Mark("d2", 0, "owl.txt", "Owl"))
    assert made.list(key)[0].marks == (Mark("d1-new", 1, "wren.txt", "Wren"),)
    made.remove(key, one)
    made.remove(key, one)
    assert [question.id for question in made.list(key)] == [two]
    sets.delete(key)
    assert made.list(key) == ()


def test_what_cannot_be_kept_changes_nothing(sets: SetStore, monkeypatch: pytest.MonkeyPatch) -> None:
    made, key = MadeQuestions(sets), sets.make("Birds", CORPUS, "me")
    (one,) = made.add(key, [MadeQuestion("", "Who?")])
    with pytest.raises(InputError, match="at most 2,000 characters; this one has 2,001"):
        made.write(key, one, "x" * 2001, [], "")
    with pytest.raises(InputError, match="at most 2,000"):
        made.add(key, [MadeQuestion("", "a"), MadeQuestion("", "b", answers=("x" * 2001,))])
    with pytest.raises(InputError, match="graded 0, 1 or 2"):
        made.mark(key, one, Mark("d", 3, "n", "t"))
    with pytest.raises(InputError, match="has been deleted"):
        made.write(key, "gone", "Who?", [], "")
    with pytest.raises(InputError, match="has been deleted"):
        made.mark(key, "gone", WREN)
    monkeypatch.setattr("core.evaluation.set_store.MAX_QUESTIONS", 2)
    with pytest.raises(InputError, match="at most 2 questions"):
        made.add(key, [MadeQuestion("", "a"), MadeQuestion("", "b")])
    assert made.list(key) == (MadeQuestion(one, "Who?"),)
