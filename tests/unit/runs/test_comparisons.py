"""Comparisons are kept beside their runs, and their columns are given the same number of passages."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError, UnknownRun
from core.runs.comparisons import ComparisonStore, even_out
from core.runs.request import RunRequest
from core.trace.gold import Gold


@pytest.fixture
def store(tmp_path: Path) -> ComparisonStore:
    return ComparisonStore(f"sqlite:///{tmp_path}/runs.db")


def test_what_is_stored_comes_back(store: ComparisonStore) -> None:
    made = store.add("Who?", ["a", "b"], "me", [Gold(document="d", title="A film")])
    assert store.get(made.id) == made
    assert made.title == "Who?"
    store.rename(made.id, "  In class  ")
    assert store.get(made.id).title == "In class"


def test_two_to_four_columns(store: ComparisonStore) -> None:
    for runs in (["a"], ["a", "b", "c", "d", "e"]):
        with pytest.raises(InputError, match="2 to 4 columns"):
            store.add("Who?", runs, "me")


def test_own_and_pinned_ones_are_listed(store: ComparisonStore) -> None:
    mine, pinned, other = (store.add("Who?", ["a", "b"], owner) for owner in ("me", "them", "them"))
    store.pin(pinned.id, True)
    assert [found.id for found in store.list(["me"])] == [pinned.id, mine.id]
    store.delete(other.id)
    store.delete(other.id)
    with pytest.raises(UnknownRun):
        store.get(other.id)
    with pytest.raises(InputError, match="at most 200"):
        store.rename(mine.id, "x" * 201)


def asked(strategy: str, **params: object) -> RunRequest:
    return RunRequest("?", strategy, params=params)


def test_the_smallest_number_holds_for_all() -> None:
    made = even_out([asked("plain"), asked("multi-query", n=3), asked("rag-fusion"), asked("hyde")])
    assert made.number == 6
    assert [one.params for one in made.requests] == [{}, {"n": 3, "context_size": 6}, {}, {}]
    assert (made.changed, made.without) == ((1,), ())


def test_a_number_that_was_set_by_hand_holds_for_all() -> None:
    made = even_out([asked("plain", k=9), asked("multi-query"), asked("rag-fusion", context_size=6)])
    assert made.number == 9
    assert [one.params for one in made.requests] == [{"k": 9}, {"context_size": 9}, {"context_size": 9}]


def test_numbers_that_were_set_to_be_compared_are_left_alone() -> None:
    columns = [asked("plain", k=3), asked("plain", k=9), asked("rag-fusion")]
    made = even_out(columns)
    assert (made.number, made.requests, made.changed) == (0, tuple(columns), ())


def test_strategies_without_a_number_are_left_alone_and_named() -> None:
    columns = [asked("plain"), asked("ircot"), asked("decomposition-independent"), asked("closed-book")]
    made = even_out(columns)
    assert (made.number, made.requests) == (0, tuple(columns))
    made = even_out([asked("step-back"), asked("self-rag"), asked("plain"), asked("kg-rag")])
    assert made.number == 6
    assert made.requests[1].params == {}
    assert made.without == (1,)
