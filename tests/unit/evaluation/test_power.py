"""How many questions a difference needs."""

from __future__ import annotations

import numpy as np
import pytest

from core.evaluation.statistics import (
    LEVEL,
    MOST_QUESTIONS,
    POWER,
    fewest_questions,
    p_value,
    questions_needed,
    smallest_difference,
)


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
