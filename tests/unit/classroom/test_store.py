"""Classes in the database: their questions, who joined them, and what they voted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.classroom.questions import Option, Question
from core.classroom.store import ALPHABET, CODE_LENGTH, MAX_QUESTIONS, ClassStore, Student, UnknownClass
from core.errors import InputError
from tests.postgres import PostgresServer

QUESTION = Question(
    text="Which strategy finds the evidence?",
    options=(Option(key="A", text="Plain retrieval"), Option(key="B", text="RAG-Fusion", right=True)),
)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ClassStore:
    if request.param == "sqlite":
        return ClassStore(f"sqlite:///{tmp_path / 'classes.sqlite'}")
    postgres: PostgresServer = request.getfixturevalue("postgres")
    return ClassStore(postgres.new_database())


def vote(store: ClassStore, classroom: str, place: int, member: str, option: str) -> bool:
    """Vote alone; True: the vote counts."""
    return bool(store.vote({(classroom, place, member): option}))


def test_a_class_is_opened_and_found_by_its_code(store: ClassStore) -> None:
    classroom = store.open("teacher", "  Monday\n", [QUESTION])
    assert (classroom.name, classroom.phase, classroom.place) == ("Monday", "waiting", -1)
    assert len(classroom.code) == CODE_LENGTH
    assert set(classroom.code) <= set(ALPHABET)
    assert store.find(f" {classroom.code.lower()} ") == classroom
    assert store.questions(classroom.id) == [(QUESTION, False)]
    assert store.list(["teacher"]) == [classroom]
    assert store.list(["somebody"]) == []
    store.delete(classroom.id)
    for look in (store.get, store.find):
        with pytest.raises(UnknownClass):
            look(classroom.id)


def test_votes_are_taken_from_members_until_the_reveal(store: ClassStore) -> None:
    classroom = store.open("teacher", "", [QUESTION, QUESTION]).id
    store.join(classroom, "ada")
    assert not vote(store, classroom, 0, "ada", "A")  # nothing is asked yet
    store.show(classroom, 0, "open")
    assert vote(store, classroom, 0, "ada", "A")
    assert vote(store, classroom, 0, "ada", "B")
    assert not vote(store, classroom, 0, "eve", "B")  # did not join
    assert not vote(store, classroom, 1, "ada", "B")  # is not shown
    assert store.counts(classroom)[1] == {0: {"B": 1}}
    store.show(classroom, 0, "revealed")
    assert not vote(store, classroom, 0, "ada", "A")
    assert store.students(classroom, ["ada", "eve"]) == {"ada": Student("", {0: "B"})}
    assert store.show(classroom, 0, "open").phase == "revealed"  # what was revealed stays so
    store.show(classroom, 0, "open", anew=True)
    assert store.counts(classroom)[1] == {}
    assert vote(store, classroom, 0, "ada", "A")


def test_votes_of_one_browser_at_once_are_one_vote(store: ClassStore) -> None:
    classroom = store.open("teacher", "", [QUESTION]).id
    store.join(classroom, "ada")
    store.show(classroom, 0, "open")
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda one: vote(store, classroom, 0, "ada", "AB"[one % 2]), range(40)))
    assert any(taken)
    assert sum(store.counts(classroom)[1][0].values()) == 1


def test_joining_once_more_changes_the_nickname(store: ClassStore) -> None:
    classroom = store.open("teacher", "", []).id
    store.join(classroom, "ada", "Ada\u202e")
    store.join(classroom, "bob")
    store.join(classroom, "ada", "Countess")
    assert [(one.member, one.nickname) for one in store.members(classroom)] == [
        ("ada", "Countess"),
        ("bob", ""),
    ]
    assert [one.id for one in store.classes_of("ada")] == [classroom]
    with pytest.raises(InputError, match="at most 30"):
        store.join(classroom, "ada", "x" * 31)
    store.admit(classroom, admits=False)
    store.join(classroom, "ada", "Still in")
    with pytest.raises(InputError, match="takes nobody else"):
        store.join(classroom, "eve")
    store.leave(classroom, "ada")
    assert [one.member for one in store.members(classroom)] == ["bob"]


def test_two_taps_on_join_are_one_member_and_a_refusal_is_only_one_s_own(store: ClassStore) -> None:
    classroom = store.open("teacher", "", []).id
    joining = [
        (classroom, "ada", ""),
        (classroom, "eve", "x" * 31),
        (classroom, "ada", "Ada"),
        (classroom, "bob", ""),
    ]
    assert [refusal is not None for refusal in store.join_all(joining)] == [False, True, False, False]
    assert {one.member: one.nickname for one in store.members(classroom)} == {"ada": "Ada", "bob": ""}


def test_leaving_takes_the_votes_along(store: ClassStore) -> None:
    classroom = store.open("teacher", "", [QUESTION]).id
    store.join(classroom, "ada")
    store.show(classroom, 0, "open")
    vote(store, classroom, 0, "ada", "A")
    store.leave(classroom, "ada")
    assert store.counts(classroom)[1] == {}


def test_questions_are_added_to_a_class_that_goes_on(store: ClassStore) -> None:
    classroom = store.open("teacher", "", [QUESTION]).id
    assert store.add(classroom, [QUESTION, QUESTION]) == 1
    assert len(store.questions(classroom)) == 3
    with pytest.raises(InputError, match="at most"):
        store.add(classroom, [QUESTION] * MAX_QUESTIONS)
    with pytest.raises(InputError, match="no such question"):
        store.show(classroom, 3, "open")
    assert store.get(classroom).place == -1
