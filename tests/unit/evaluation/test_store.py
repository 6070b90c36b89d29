"""The store of evaluations: who works on what, and what became of the pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError, StoreError
from core.evaluation.datasets import LabelledQuestion
from core.evaluation.plan import Result, Setting, Spec
from core.evaluation.store import EvaluationStore

QUESTIONS = (
    LabelledQuestion("a", "Who?", "", ("He", "Him"), {"d": 2}),
    LabelledQuestion("b", "When?", "", (), {}),
)
SPEC = Spec(
    dataset="Set",
    dataset_key="k",
    corpus="Data set: Set",
    corpus_id="c",
    corpus_version=1,
    settings=(Setting(label="plain", strategy="plain"),),
)


@pytest.fixture
def store(tmp_path: Path) -> EvaluationStore:
    return EvaluationStore(f"sqlite:///{tmp_path / 'test.sqlite'}")


def test_what_is_stored_comes_back(store: EvaluationStore) -> None:
    key = store.add(SPEC, QUESTIONS, "me")
    found = store.get(key)
    assert (found.spec, found.questions, found.owner, found.state) == (SPEC, QUESTIONS, "me", "paused")
    assert [one.id for one in store.list(["me"])] == [key]
    assert store.list(["somebody"]) == []
    store.delete(key)
    with pytest.raises(InputError, match="no evaluation"):
        store.get(key)


def test_one_at_a_time(store: EvaluationStore) -> None:
    key = store.add(SPEC, QUESTIONS, "me")
    assert store.hold(key, "one", 60)
    assert store.hold(key, "one", 60)
    assert not store.hold(key, "two", 60)
    assert store.get(key).state == "running"
    assert store.hold(key, "one", -1)
    assert store.get(key).state == "interrupted"
    assert store.hold(key, "two", 60)
    with pytest.raises(StoreError, match="Another process"):
        store.note(key, "one", {(0, "a"): Result()})
    store.note(key, "two", {(0, "a"): Result(ranking=("d",), calls=2)})
    assert store.outcomes(key).done == {(0, "a"): Result(ranking=("d",), calls=2)}


def test_a_failure_gives_way_to_a_later_try(store: EvaluationStore) -> None:
    key = store.add(SPEC, QUESTIONS, "me")
    store.hold(key, "one", 60)
    store.note(key, "one", {(0, "a"): "It broke.", (0, "b"): Result()})
    assert store.outcomes(key).failed == {(0, "a"): "It broke."}
    store.finish(key, True)
    assert store.unfinished(SPEC, QUESTIONS) == key
    store.note(key, "one", {(0, "a"): Result(calls=1)})
    assert not store.outcomes(key).failed
    assert len(store.outcomes(key).done) == 2
    assert store.unfinished(SPEC, QUESTIONS) is None


def test_the_same_work_is_found_again(store: EvaluationStore) -> None:
    key = store.add(SPEC, QUESTIONS, "me")
    assert store.unfinished(SPEC.model_copy(update={"baseline": "plain"}), QUESTIONS) == key
    assert store.unfinished(SPEC.model_copy(update={"retrieval_only": True}), QUESTIONS) is None
    assert store.unfinished(SPEC.model_copy(update={"corpus_version": 2}), QUESTIONS) is None
    assert store.unfinished(SPEC, QUESTIONS[:1]) is None
