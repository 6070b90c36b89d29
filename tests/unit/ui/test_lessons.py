"""What lies in the folder of the lessons fits the strategies, the demo corpus and the code."""

import json
import re

import pytest

from benchmarks.examples.lessons import better
from core.corpora.demo import STARTERS, WORLD
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.strategies.exercises import outcome
from core.strategies.families import FAMILIES, by_family
from core.strategies.lessons import INDEXING, Example, lesson, text
from core.strategies.lessons import examples as worked_examples
from core.ui.learn.worked_example import observation

MAKE = "run make examples"
QUESTIONS = {
    record["id"]: record
    for name in ("questions.jsonl", STARTERS)
    for record in map(json.loads, (WORLD / name).read_text(encoding="utf-8").splitlines())
}


def found(key: str) -> list[Example]:
    return [one for examples in worked_examples(key) for one in (examples.helps, examples.fails) if one]


TAUGHT = [INDEXING, *strategies()]
OBSERVED = [key for key in strategies() if worked_examples(key)]
BESIDE_THE_BASELINE = [
    key
    for key in OBSERVED
    if key != BASELINE and strategies()[key].retrieves and not strategies()[key].explores
]


@pytest.mark.parametrize("key", OBSERVED)
def test_worked_examples_are_from_the_demo_corpus(key: str) -> None:
    assert found(key)
    for example in found(key):
        asked = QUESTIONS[example.id]
        assert (asked["text"], asked["shows"]) == (example.question, example.shows), MAKE
        assert example.evidence == len(asked["evidence"]), MAKE
        assert max(example.plain.gold, example.strategy.gold, example.plain_as_many) <= example.evidence
        assert observation(strategies()[key], example)


@pytest.mark.parametrize("key", BESIDE_THE_BASELINE)
def test_where_it_helps_it_found_more_or_was_right_alone_and_where_not_it_found_no_more(key: str) -> None:
    for examples in worked_examples(key):
        if examples.helps is not None:
            assert examples.helps.strategy.gold > examples.helps.plain.gold or better(examples.helps)
        if examples.fails is not None:
            assert examples.fails.strategy.gold <= examples.fails.plain.gold


@pytest.mark.parametrize("key", strategies())
def test_a_capable_model_was_observed_first_and_the_built_in_one_wherever_it_can(key: str) -> None:
    recorded, *others = worked_examples(key)
    assert recorded.recording, MAKE
    assert [one.builtin for one in others] == [True] * (not strategies()[key].lacking(True)), MAKE


def test_every_strategy_belongs_to_a_family() -> None:
    found = by_family(strategies().values())
    assert tuple(found) == FAMILIES
    assert sorted(one.key for members in found.values() for one in members) == sorted(strategies())


@pytest.mark.parametrize("key", OBSERVED)
def test_an_example_says_whether_the_answers_were_right(key: str) -> None:
    for example in found(key):
        said = observation(strategies()[key], example).replace("\\", "").splitlines()[-1]
        assert f"Plain retrieval {'yes' if example.plain.right else 'no'}" in said
        assert said.endswith("yes" if example.strategy.right else "no")


ELSEWHERE = {"Filter", "Indexing", "Index it another way", "Compare", "Context for each chunk"}
"""Names that a lesson gives in italics and that belong to no strategy: a lesson, a button, a choice."""


@pytest.mark.parametrize("key", TAUGHT)
def test_what_a_lesson_says_to_switch_is_there(key: str) -> None:
    """A name in italics with a capital letter, without a colon behind it, is what a parameter is called."""
    titles = (
        {field.title for field in strategies()[key].params.model_fields.values()}
        if key in strategies()
        else set()
    )
    named = set(re.findall(r"(?<!\*)\*([A-Z][^*]*[^*:])\*(?!\*)", text(key)))
    assert named <= titles | ELSEWHERE


@pytest.mark.parametrize("key", TAUGHT)
def test_every_lesson_has_an_exercise_whose_answer_the_code_works_out_as_it_was_by_hand(key: str) -> None:
    task = lesson(key).exercise
    assert task is not None
    assert 3 <= len(task.options) <= 4
    assert len(set(task.options.values())) == len(task.options)
    assert outcome(key, task).right == task.right


def test_the_fusion_exercise_shows_its_sum() -> None:
    task = lesson("rag-fusion").exercise
    assert task is not None
    first, second, *_, turned = outcome("rag-fusion", task).working
    assert first == "X: 1/64 + 1/63 = 0.0315"
    assert second == "A: 1/61 = 0.0164"
    assert turned == "With k = 1 instead: A: 1/2 = 0.5000; X: 1/5 + 1/4 = 0.4500"
