"""Intervals hold the truth as often as they say; tests and corrections as computed by hand; verdicts in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import InputError
from core.evaluation.measures import Scores
from core.evaluation.statistics import (
    LEVEL,
    MOST_QUESTIONS,
    POWER,
    Interval,
    bootstrap_interval,
    differences,
    fewest_questions,
    holm,
    intervals,
    p_value,
    questions_needed,
    smallest_difference,
    verdict,
)
from tests.cases import cases


def scores(key: str = "R@5", **columns: Sequence[float]) -> Scores:
    return {
        name: {f"q{i}": {key: value} for i, value in enumerate(values)} for name, values in columns.items()
    }


@pytest.mark.parametrize(("count", "least"), [(20, 0.90), (100, 0.93)])
def test_coverage(count: int, least: float) -> None:
    """Of 400 samples of skewed differences with a known mean, about 95 % of the intervals hold it."""
    random = np.random.default_rng(1)
    truth = 0.3 * 1 + 0.1 * -1  # differences of a metric that is 0 or 1
    samples = random.choice([1.0, -1.0, 0.0], p=[0.3, 0.1, 0.6], size=(count, 400))
    low, high = bootstrap_interval(samples, 2, 1000, 0.95)
    covered = np.mean((low <= truth) & (truth <= high))
    assert least <= covered <= 0.99


def test_false_alarms_are_as_rare_as_the_level_says() -> None:
    random = np.random.default_rng(3)
    equal = random.choice([1.0, -1.0, 0.0], p=[0.2, 0.2, 0.6], size=(400, 30))
    found = np.mean([p_value(list(row), seed=i, resamples=500) < 0.05 for i, row in enumerate(equal)])
    assert found <= 0.07


@cases(
    ("values", "p"),
    [
        ([1, 1, 1], 2 / 8),  # only all plus and all minus reach a sum of 3
        ([1, 1, -1], 8 / 8),
        ([3, 1, 1, 1], 2 / 16),
        ([0, 0, 2, 0], 1.0),
        ([0, 0], 1.0),
        ([], 1.0),
        ([0.1] * 3, 2 / 8),
    ],
)
def test_p_values_by_hand(values: list[float], p: float) -> None:
    assert p_value(values) == pytest.approx(p)


def test_drawn_signs_come_near_all_of_them() -> None:
    values = [0.5, -0.2, 0.9, 0.1, 0.4, -0.6, 0.3, 0.2, 0.7, -0.1, 0.3, 0.2]
    assert p_value(values, resamples=4000, seed=1) == pytest.approx(p_value(values, resamples=4096), abs=0.02)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_interval_of_a_mean() -> None:
    found = intervals(scores(a=[0, 1] * 50, b=[0.1] * 100), "R@5")
    assert found["a"].mean == 0.5
    assert found["a"].low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.015)  # the normal approximation
    assert found["a"].high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.015)
    assert found["b"].low <= found["b"].mean <= found["b"].high
    assert found["b"].high - found["b"].low < 1e-9
    assert intervals(scores(a=[0, 1] * 50), "R@5") == {"a": found["a"]}  # neither chance nor company matters


def test_differences_are_paired() -> None:
    """Questions differ far more than strategies do; only pairs show that one is always a little better."""
    random = np.random.default_rng(5)
    base = random.uniform(0, 0.9, 60)
    found = differences(scores(base=list(base), new=list(base + 0.05)), "base", "R@5")[0]
    assert found.interval.low == pytest.approx(0.05)
    assert found.interval.high == pytest.approx(0.05)
    assert (found.more, found.less, found.same) == (60, 0, 0)
    assert found.verdict == "better"
    alone = intervals(scores(base=list(base), new=list(base + 0.05)), "R@5")
    assert alone["new"].low < alone["base"].high


def test_words() -> None:
    up, around = Interval(0.2, 0.1, 0.3, 50), Interval(0.2, -0.1, 0.3, 50)
    down = Interval(-0.2, -0.3, -0.1, 50)
    assert verdict("R@5", up, 0.01) == verdict("hallucination", down, 0.01) == "better"
    assert verdict("R@5", down, 0.01) == verdict("calls", up, 0.01) == "worse"
    assert verdict("abstained", up, 0.01) == "higher"
    assert verdict("R@5", up, 0.06) == verdict("R@5", around, 0.01) == "no significant difference"


def test_few_questions_never_make_a_verdict() -> None:
    """All intervals of five equal wins are above 0, and yet it may be chance."""
    found = differences(scores(base=[0] * 5, new=[1] * 5), "base", "R@5")[0]
    assert found.p == pytest.approx(2 / 32)
    assert found.verdict == "no significant difference"


def test_looks_at_the_same_questions_are_corrected() -> None:
    wins = [1.0] * 7 + [0.0] * 13
    made = scores(base=[0] * 20, a=wins)
    (first,), (third,) = (differences(made, "base", "R@5", looks=looks) for looks in (1, 3))
    assert (third.p, third.looks) == (first.p, 3)
    assert third.p_holm == pytest.approx(3 * first.p)
    assert third.interval.low < first.interval.low < first.interval.high < third.interval.high
    assert (first.verdict, third.verdict) == ("better", "better")
    (fourth,) = differences(made, "base", "R@5", looks=4)
    assert fourth.verdict == "no significant difference"


def test_many_comparisons_are_corrected() -> None:
    wins = [1.0] * 7 + [0.0] * 13  # p = 2 / 128 alone
    alone = differences(scores(base=[0] * 20, a=wins), "base", "R@5")
    assert alone[0].verdict == "better"
    many = differences(scores(base=[0] * 20, a=wins, b=wins, c=wins, d=wins), "base", "R@5")
    assert {one.p for one in many} == {alone[0].p}
    assert {one.p_holm for one in many} == {4 * alone[0].p}
    assert {one.verdict for one in many} == {"no significant difference"}


def test_questions_that_only_one_strategy_has_do_not_count() -> None:
    found = differences(
        {
            "base": {"a": {"R@5": 0.0}, "b": {"R@5": 1.0}, "c": {}},
            "new": {"a": {"R@5": 1.0}, "c": {"R@5": 1.0}},
            "other": {"c": {"R@5": 1.0}},
        },
        "base",
        "R@5",
    )
    assert [(one.strategy, one.interval.questions, one.interval.mean) for one in found] == [("new", 1, 1.0)]
    with pytest.raises(InputError, match="“old” is not among"):
        differences({}, "old", "R@5")


def test_seeds() -> None:
    random = np.random.default_rng(7)
    made = scores(base=list(random.random(40)), new=list(random.random(40)))
    assert differences(made, "base", "R@5", seed=1) == differences(made, "base", "R@5", seed=1)
    assert differences(made, "base", "R@5", seed=1) != differences(made, "base", "R@5", seed=2)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((50, 3))
    whole = bootstrap_interval(values, 1, 100, 0.95)
    monkeypatch.setattr("core.evaluation.statistics._DRAWN_AT_ONCE", 500)
    assert np.allclose(bootstrap_interval(values, 1, 100, 0.95), whole)


def test_columns_are_resampled_together() -> None:
    """The interval of a difference of columns is that of their paired differences, whatever company they have."""
    values = np.random.default_rng(0).random((50, 3))
    alone = bootstrap_interval(values[:, [1]], 1, 200, 0.95)
    assert np.allclose([end[1] for end in bootstrap_interval(values, 1, 200, 0.95)], np.ravel(alone))


def test_one_question_has_no_interval() -> None:
    found = intervals(scores(a=[0.5]), "R@5")["a"]
    assert (found.low, found.mean, found.high) == (0.5, 0.5, 0.5)


def test_scipy_agrees_on_p_values() -> None:
    from scipy import stats  # a second, for each worker that only looks which tests there are

    """The same test by another program, over all assignments of signs and over drawn ones."""
    values = np.array([0.5, -0.2, 0.9, 0.1, 0.4, -0.6, 0.3, 0.2, 0.7, -0.1])

    def theirs(sample: NDArray[np.float64], resamples: float) -> float:
        kind: Any = {"permutation_type": "samples", "vectorized": True}
        found = stats.permutation_test((sample,), np.mean, n_resamples=resamples, rng=1, **kind)
        return float(found.pvalue)

    assert p_value(list(values), resamples=2**10) == pytest.approx(theirs(values, np.inf))
    many = np.random.default_rng(2).normal(0.15, 1, 120)
    assert p_value(list(many)) == pytest.approx(theirs(many, 4000), abs=0.03)


def test_the_textbook_example() -> None:
    # Half a standard deviation, two-sided 5 %, power 80 %: 34 pairs in any table of paired t tests.
    assert questions_needed(0.5, 1.0) == 34
    assert questions_needed(-0.5, 1.0) == 34


def test_both_directions_agree() -> None:
    for questions in (10, 40, 200):
        least = smallest_difference(questions, 0.25, 3, 2)
        assert least is not None
        assert questions_needed(least, 0.25, 3, 2) == questions


def test_the_real_test_tells_about_as_often_as_forecast() -> None:
    random, questions = np.random.default_rng(0), 30
    least = smallest_difference(questions, 0.25)
    assert least is not None
    told = [
        p_value(list(random.normal(least, 0.25, questions)), resamples=400) < 1 - LEVEL for _ in range(150)
    ]
    assert np.mean(told) == pytest.approx(POWER, abs=0.1)


def test_more_comparisons_and_looks_need_more() -> None:
    alone, several = questions_needed(0.1, 0.25), questions_needed(0.1, 0.25, 4)
    assert alone
    assert several
    assert alone < several
    assert questions_needed(0.1, 0.25, 2, 2) == several


def test_too_few_tell_nothing_and_tiny_differences_need_too_many() -> None:
    assert fewest_questions() == 6  # 2 / 2^6 < 0.05 < 2 / 2^5
    assert smallest_difference(5) is None
    assert smallest_difference(6, 0.1) is not None
    assert questions_needed(0.0, 0.2) is None
    assert questions_needed(0.001, 0.2) is None
    assert questions_needed(0.5, 1e-9) == fewest_questions()
    assert MOST_QUESTIONS == 1000
