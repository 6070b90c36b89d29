"""The same number of passages for all columns of a comparison."""

from __future__ import annotations

from core.runs.comparisons import evened
from core.runs.request import RunRequest


def asked(strategy: str, **params: object) -> RunRequest:
    return RunRequest("?", strategy, params=params)


def test_the_smallest_number_holds_for_all() -> None:
    made = evened([asked("plain"), asked("multi-query", n=3), asked("rag-fusion"), asked("hyde")])
    assert made.number == 6
    assert [one.params for one in made.requests] == [{}, {"n": 3, "context_size": 6}, {}, {}]
    assert (made.changed, made.without) == ((1,), ())


def test_a_number_that_was_set_by_hand_holds_for_all() -> None:
    made = evened([asked("plain", k=9), asked("multi-query"), asked("rag-fusion", context_size=6)])
    assert made.number == 9
    assert [one.params for one in made.requests] == [{"k": 9}, {"context_size": 9}, {"context_size": 9}]


def test_numbers_that_were_set_to_be_compared_are_left_alone() -> None:
    columns = [asked("plain", k=3), asked("plain", k=9), asked("rag-fusion")]
    made = evened(columns)
    assert (made.number, made.requests, made.changed) == (0, tuple(columns), ())


def test_strategies_without_a_number_are_left_alone_and_named() -> None:
    columns = [asked("plain"), asked("ircot"), asked("decomposition-independent"), asked("closed-book")]
    made = evened(columns)
    assert (made.number, made.requests) == (0, tuple(columns))
    made = evened([asked("step-back"), asked("self-rag"), asked("plain"), asked("kg-rag")])
    assert made.number == 6
    assert made.requests[1].params == {}
    assert made.without == (1,)
