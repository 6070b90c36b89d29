"""Chains in rounds: which sub-questions are due at once, and what is searched again before anything is built on it."""

from __future__ import annotations

from typing import Any

import pytest

from core.strategies.rounds import cause, due, needs
from core.trace.artefacts import Rewrite, SubAnswer, SubQuestions
from tests.cases import cases

QUESTION = "Who is older, the director of Jaws or the author of Emma?"
PARTS = ("Who directed Jaws?", "Who wrote Emma?", "When was #1 born?", "When was #2 born?")


def answer(index: int, **more: Any) -> tuple[int, SubAnswer]:
    return index, SubAnswer(index=index, question=PARTS[index], searched="", text="x", **more)


def reworded(index: int, after: str) -> tuple[int, Rewrite]:
    return index, Rewrite(before="x", after=after, cause="")


@cases(
    ("questions", "waits"),
    [
        (PARTS, [set(), set(), {0}, {1}]),
        (("Who directed Jaws?", "When was he born?"), [set(), {0}]),
        (("Who directed Jaws?", "When was Jane Austen born?", QUESTION), [set(), set(), {0, 1}]),
        (("Is #2 old?", "Who is #1?"), [set(), {0}]),
        (
            ("Who directed Jaws?", "When was #1 born?", "Which of them is it?", "Who is older?"),
            [set(), {0}, {0, 1}, {0, 1, 2}],
        ),
        # “Er” and “그” are not known as words that point back: a name, or marks elsewhere, say that it stands alone.
        (("Wer drehte Jaws?", "Wann wurde er geboren?"), [set(), {0}]),
        (
            ("영화 Jaws의 감독은 누구인가요?", "소설 Emma의 작가는 누구인가요?", "#1은 언제 태어났나요?"),
            [set(), set(), {0}],
        ),
    ],
)
def test_a_sub_question_waits_for_the_answers_that_it_needs(
    questions: tuple[str, ...], waits: list[set[int]]
) -> None:
    assert [needs(questions, index, QUESTION) for index in range(len(questions))] == waits


@cases(
    ("answers", "doubtful", "rewrites", "expected"),
    [
        ([], [], [], [("answer_sub", 0), ("answer_sub", 1)]),
        ([answer(1), answer(0)], [], [], [("answer_sub", 2), ("answer_sub", 3)]),
        ([answer(0, suggested=True), answer(1)], [0], [], [("reword", 0), ("answer_sub", 3)]),
        (
            [answer(0, suggested=True), answer(1), answer(3)],
            [0],
            [reworded(0, "y")],
            [("answer_sub", 0)],
        ),
        # No other words were found, or the better answer is no certain one either: it goes on.
        ([answer(0, abstained=True), answer(1), answer(3)], [0], [reworded(0, "x")], [("answer_sub", 2)]),
        (
            [answer(0, abstained=True), answer(1), answer(3), answer(0, suggested=True)],
            [0],
            [reworded(0, "y")],
            [("answer_sub", 2)],
        ),
        # Put in doubt by a user, or put right by one.
        ([answer(0, abstained=True), answer(1)], [], [], [("answer_sub", 2), ("answer_sub", 3)]),
        ([answer(0), answer(1)], [0], [], [("answer_sub", 2), ("answer_sub", 3)]),
        ([answer(index) for index in range(4)], [], [], []),
    ],
)
def test_what_is_due(answers: Any, doubtful: Any, rewrites: Any, expected: list[tuple[str, int]]) -> None:
    state: Any = {"question": QUESTION, "sub_questions": SubQuestions(questions=PARTS)}
    state |= {"sub_answers": answers, "doubtful": doubtful, "rewrite": rewrites}
    assert list(due(state)) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            {"text": "Toronto [1]\n\nIts birthplace is not stated [1].", "suggested": True},
            "The passages only suggest the answer. Its birthplace is not stated.",
        ),
        (
            {"text": "The director is missing.\n\nCohen made a film [1].", "abstained": True},
            "No passage holds the answer. The director is missing.",
        ),
    ],
)
def test_the_cause_is_what_the_answer_says_is_missing(said: dict[str, Any], expected: str) -> None:
    assert cause(answer(0)[1].model_copy(update=said)) == expected
