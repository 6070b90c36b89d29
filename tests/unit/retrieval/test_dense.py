"""The mean that HyDE searches with."""

import pytest

from core.retrieval.dense import mean_of, mean_vector, words_of


def test_the_mean_equals_the_one_worked_out_by_hand_and_has_length_one() -> None:
    # (3, 4) and (0, 2) at length 1 are (0.6, 0.8) and (0, 1); their mean (0.3, 0.9) has length √0.9.
    assert mean_vector([[3, 4], [0, 2]]) == pytest.approx([0.3 / 0.9**0.5, 0.9 / 0.9**0.5])
    assert sum(x * x for x in mean_vector([[3, 4, 1], [0, 2, 5], [-1, 0, 2]])) == pytest.approx(1)


def test_one_vector_is_its_own_mean_and_opposites_cancel_out() -> None:
    assert mean_vector([[0, 5]]) == pytest.approx([0, 1])
    assert mean_vector([[1, 0], [-1, 0]]) == [0, 0]


def test_what_is_searched_with_is_said_in_words() -> None:
    assert mean_of(1, True) == "the mean of the question and the passage"
    assert mean_of(8, False) == "the mean of the 8 passages"
    assert mean_of(1, False) == "the passage"
    assert mean_of(0, False) == "the question"
    assert words_of("Who?", ["It was Bo.", "Ann."]) == "It was Bo.\nAnn."
    assert words_of("Who?", []) == "Who?"
