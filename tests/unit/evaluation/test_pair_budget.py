"""What a pair was given, beside plain retrieval with as many passages on the same question."""

from __future__ import annotations

from typing import Any

import pytest

from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.measures import (
    BEYOND,
    COSTS,
    BesidePlain,
    JudgedPair,
    Scores,
    beside_plain,
    metric,
    scores_of,
)
from core.evaluation.pair_budget import budget_from
from core.evaluation.plan import Budget, Result, Setting
from core.evaluation.statistics import compare, differences
from tests.examples.parts import PASSAGES

QUESTION = LabelledQuestion("q", "Who?", "", (), {"g1": 1, "g2": 2, "no": 0})
CHAIN = Setting(label="chain", strategy="ircot")
PLAIN = Setting(label="plain", strategy="plain")
RANKED = ("x", "g1", "x", "y", "g2", "no")


def told(setting: Setting = CHAIN, question: LabelledQuestion = QUESTION, **budget: Any) -> dict[str, float]:
    return free_scores(JudgedPair(Result(budget=Budget(**budget)), question, setting))


def free_scores(pair: JudgedPair) -> dict[str, float]:
    """The pair's metrics but for its costs."""
    return {key: value for key, value in scores_of(pair).items() if metric(key).group != COSTS}


def test_both_are_counted_on_the_same_number_of_passages() -> None:
    found = told(given=4, found=("g1", "g2"), plain=RANKED, depth=40)
    assert found == {
        "passages_given": 4, "evidence_given": 1.0, "evidence_plain": 0.5, "evidence_beyond": 0.5,
    }  # fmt: skip
    more = told(given=5, found=("g1",), plain=RANKED, depth=40)
    assert (more["evidence_plain"], more["evidence_beyond"]) == (1.0, -0.5)
    nothing = told(given=0, found=(), plain=RANKED, depth=40)
    assert (nothing["evidence_given"], nothing["evidence_plain"], nothing["evidence_beyond"]) == (0, 0, 0)


def test_what_cannot_be_told_is_left_out() -> None:
    short = {"passages_given": 6, "evidence_given": 0.5}
    assert told(given=6, found=("g1",), plain=RANKED, depth=5) == short
    hybrid = CHAIN.model_copy(update={"retriever": "hybrid"})
    assert told(hybrid, given=6, found=("g1",), plain=RANKED, depth=40) == short
    assert "evidence_plain" in told(hybrid, given=6, found=("g1",), plain=RANKED, depth=10)
    assert told(PLAIN, given=6, found=("g1",)) == short  # compared with itself it says nothing
    unlabelled = LabelledQuestion("q", "Who?", "", (), {"no": 0})
    assert told(question=unlabelled, given=6, plain=RANKED, depth=40) == {"passages_given": 6}
    assert free_scores(JudgedPair(Result(), QUESTION, CHAIN)) == {}
    given = Result(budget=Budget(given=6, found=("g1",)))
    assert free_scores(JudgedPair(given, QUESTION, CHAIN, searches=False)) == {}
    # As an earlier version noted it.
    assert Result.model_validate({"ranking": ["a"], "passages": 1}).budget is None


def test_a_recomputed_value_takes_the_ranking_along() -> None:
    stored = Budget(given=9, found=("g1",), plain=RANKED, depth=40)
    passages = [
        one.model_copy(update={"document": name})
        for one, name in zip(PASSAGES, ("a", "no", "a", "x"), strict=False)
    ]
    made = budget_from(QUESTION, passages, {"a": "g2"}, stored)
    assert made == Budget(given=len(passages), found=("g2",), plain=RANKED, depth=40)
    assert budget_from(QUESTION, passages[1:2], {}) == Budget(given=1)


def of(values: dict[str, float]) -> Scores:
    """A question with so much beyond plain for each strategy; nothing for `base`."""
    held = {"evidence_given": 0.9, "evidence_plain": 0.7, "passages_given": 12.0}
    made: dict[str, dict[str, dict[str, float]]] = {
        "base": {f"q{i}": {"evidence_given": 0.7} for i in range(20)}
    }
    for label, value in values.items():
        made[label] = {f"q{i}": {**held, BEYOND: value} for i in range(20)}
    return made


def test_it_is_held_against_plain_retrieval_whatever_the_baseline_is() -> None:
    found = of({"more": 0.2, "less": -0.1, "same": 0.0})
    for baseline in ("base", "more"):
        against = {one.strategy: one for one in compare(found, baseline, BEYOND)}
        assert [one.interval.mean for one in against.values()] == pytest.approx([0.2, -0.1, 0.0])
        assert [one.verdict for one in against.values()] == ["better", "worse", "no significant difference"]
        assert {one.baseline for one in against.values()} == {"plain retrieval with as many passages"}
    other = compare(found, "base", "evidence_given")
    assert other == differences(found, "base", "evidence_given")


def test_both_numbers_are_means_over_the_same_questions() -> None:
    (found,) = beside_plain(of({"more": 0.2})).items()
    assert found == ("more", BesidePlain(0.9, 0.7, 12.0, 20))
