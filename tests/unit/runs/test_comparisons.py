"""Comparisons are kept beside their runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError, UnknownRun
from core.runs.comparisons import ComparisonStore
from core.runs.gold import Gold


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
