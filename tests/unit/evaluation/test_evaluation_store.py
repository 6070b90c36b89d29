"""The store of evaluations: who works on what, and what became of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from core.errors import InputError, StoreError
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.evaluation_store import EvaluationStore
from core.evaluation.plan import Playing, Result, Setting, Spec, check_same

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
    key = store.begin(SPEC, QUESTIONS, "me")
    found = store.get(key)
    assert (found.spec, found.questions, found.owner, found.state) == (SPEC, QUESTIONS, "me", "paused")
    assert [one.id for one in store.list(["me"])] == [key]
    assert store.list(["somebody"]) == []
    store.delete(key)
    with pytest.raises(InputError, match="no evaluation"):
        store.get(key)


def test_it_goes_on_only_with_who_began_it_and_says_who_would_reply_now() -> None:
    endpoint = SPEC.model_copy(update={"model": "qwen3"})
    builtin = SPEC.model_copy(update={"model": "smollm2-135m", "builtin": True})
    playing = Playing(name="Lesson", id="r", model="capable", missing="fail")
    recorded = SPEC.model_copy(update={"model": "capable", "playing": playing})
    for one in (endpoint, builtin, recorded):
        check_same(one, one)
    with pytest.raises(InputError, match="began with the model “qwen3”; now it is the built-in model\\."):
        check_same(endpoint, builtin)
    with pytest.raises(
        InputError, match="began with the built-in model; now it is the recording “Lesson”, and"
    ):
        check_same(builtin, recorded)
    with pytest.raises(
        InputError, match="no model for the replies that it lacks; now it is the model “qwen3”\\."
    ):
        check_same(recorded, endpoint)


def test_one_at_a_time(store: EvaluationStore) -> None:
    key = store.begin(SPEC, QUESTIONS, "me")
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
    key = store.begin(SPEC, QUESTIONS, "me")
    store.hold(key, "one", 60)
    store.note(key, "one", {(0, "a"): "It broke.", (0, "b"): Result()})
    assert store.outcomes(key).failed == {(0, "a"): "It broke."}
    store.finish(key, True)
    assert store.begin(SPEC, QUESTIONS, "me") == key
    assert store.counts([key, "gone"]) == {key: (1, 1), "gone": (0, 0)}
    store.note(key, "one", {(0, "a"): Result(calls=1)})
    assert not store.outcomes(key).failed
    assert len(store.outcomes(key).done) == 2
    assert store.begin(SPEC, QUESTIONS, "me") != key


def test_the_same_work_is_found_again(store: EvaluationStore) -> None:
    key = store.begin(SPEC, QUESTIONS, "me")
    assert store.begin(SPEC.model_copy(update={"baseline": "plain"}), QUESTIONS, "me") == key
    others = [
        store.begin(SPEC.model_copy(update={"retrieval_only": True}), QUESTIONS, "me"),
        store.begin(SPEC.model_copy(update={"corpus_version": 2}), QUESTIONS, "me"),
        store.begin(SPEC, QUESTIONS[:1], "me"),
        store.begin(SPEC, QUESTIONS, "somebody"),
    ]
    assert len({key, *others}) == 5


def test_looks_at_the_same_questions_are_counted(store: EvaluationStore) -> None:
    other = SPEC.model_copy(update={"retrieval_only": not SPEC.retrieval_only})

    def begun(
        spec: Spec, questions: Sequence[LabelledQuestion], owner: str = "me", *, judged: bool = True
    ) -> int:
        key = store.begin(spec, questions, owner)
        store.hold(key, "writer", 60)
        if judged:
            store.note(key, "writer", {(0, questions[0].id): Result()})
        store.finish(key, finished=True)
        return store.get(key).spec.looks

    assert begun(SPEC, QUESTIONS[:1], judged=False) == 1
    assert begun(SPEC, QUESTIONS[1:]) == 1  # of the first nothing was seen
    assert begun(SPEC, QUESTIONS) == 2
    assert begun(SPEC, QUESTIONS) == 2  # the same work again
    assert begun(other, QUESTIONS) == 3
    assert begun(SPEC, QUESTIONS[:1], "somebody") == 1
    assert begun(SPEC.model_copy(update={"dataset_key": "another"}), QUESTIONS) == 1
    assert store.looks(SPEC.dataset_key, [QUESTIONS[0].id], "me") == 2
    assert store.last_judged("another", "me")
    assert store.last_judged("another", "somebody") is None
    assert store.looks(SPEC.dataset_key, ["none of these"], "me") == 0


def test_two_at_the_same_moment_begin_one(store: EvaluationStore) -> None:
    gate = Barrier(8)

    def begin(_: int) -> str:
        gate.wait(60)
        return store.begin(SPEC, QUESTIONS, "me")

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(begin, range(8)))) == 1


def test_names_and_pins(store: EvaluationStore) -> None:
    key = store.begin(SPEC, QUESTIONS, "me")
    assert store.get(key).title == "Set: plain"
    store.rename(key, "  Which one?  ")
    assert store.get(key).title == "Which one?"
    with pytest.raises(InputError, match="at most 200"):
        store.rename(key, "x" * 201)
    store.pin(key, True)
    assert [one.id for one in store.list(["somebody"])] == [key]
