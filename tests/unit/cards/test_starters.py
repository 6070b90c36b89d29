"""Starter cards say what was seen, and nothing else."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest

from core.cards.starters import LEAST, MOST, Shows, Starter, chosen, every, starter_questions
from core.retrieval.kinds import RETRIEVERS
from core.strategies import strategies
from tests.cases import cases


def starter(**values: Any) -> Starter:
    usual = {"who": "builtin", "strategy": "hyde", "question": "q01", "found": 1, "of": 2, "plain": 1}
    usual |= {"verdict": "right", "told": True, "calls": 2, "retriever": "dense"}
    return Starter.model_validate(usual | values)


@cases(
    ("values", "shows", "sentence"),
    [
        ({"found": 2}, "more", "Finds one more piece of evidence than plain retrieval with as many passages"),
        (
            {"found": 2, "plain": 0},
            "more",
            "Finds two more pieces of evidence than plain retrieval with as many passages",
        ),
        (
            {"found": 2, "plain": 2},
            "enough",
            "One search is enough: plain retrieval with as many passages finds all, too",
        ),
        ({"found": 2, "plain": None}, "enough", "One search is enough"),
        ({}, "right", "Got the answer right, with 1 of 2 pieces of evidence"),
        ({"found": 0, "of": 0, "plain": None}, "right", "Got the answer right"),
        ({"told": False, "of": 0, "verdict": "refusal"}, "not_told", "Not in the documents, and it says so"),
        ({"told": False, "verdict": "wrong"}, "made_up", "Not in the documents, and answered all the same"),
        ({"verdict": "refusal", "found": 0}, "none", "Ends without an answer: none of the evidence found"),
        ({"verdict": "wrong"}, "lacks", "Gets it wrong: 1 of 2 pieces of evidence found"),
        ({"verdict": "wrong", "found": 2}, "misread", "Gets it wrong, with all the evidence at hand"),
    ],
)
def test_what_a_card_says_is_computed_from_what_happened(
    values: dict[str, Any], shows: Shows, sentence: str
) -> None:
    one = starter(**values)
    assert (one.shows, one.sentence) == (shows, sentence)


def test_one_of_each_kind_is_chosen_and_a_right_answer_comes_first() -> None:
    wrong, right, again = starter(verdict="wrong"), starter(found=2), starter(found=2, question="q02")
    assert chosen([wrong, right, again]) == [right, again, wrong]
    assert len(chosen([starter(question=f"q{place}", verdict="wrong") for place in range(9)])) == LEAST


def test_the_cards_that_come_with_the_app_are_of_its_questions_and_strategies() -> None:
    for one in every():
        question = starter_questions()[one.question]
        assert question.text
        assert question.shows
        assert one.strategy in strategies()
        assert one.found <= one.of
        assert one.retriever in {"", *RETRIEVERS}


@pytest.mark.parametrize("who", ["recording", "builtin"])
def test_every_strategy_has_three_to_four_cards_a_right_one_first(who: str) -> None:
    known = {
        key: list(cards)
        for key, cards in groupby((one for one in every() if one.who == who), lambda one: one.strategy)
    }
    able = [key for key, one in strategies().items() if who == "recording" or not one.lacking(True)]
    assert list(known) == able
    for cards in known.values():
        assert LEAST <= len(cards) <= MOST
        assert len({one.question for one in cards}) == len(cards)
        if any(one.verdict == "right" for one in cards):
            assert cards[0].verdict == "right"
