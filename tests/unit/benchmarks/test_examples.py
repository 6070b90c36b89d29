"""How the worked examples are chosen from what was observed."""

from __future__ import annotations

import pytest

from benchmarks.examples.asking import CODE, ROOT, SHOWN
from benchmarks.examples.lessons import gain, kinds_in_turn, telling
from core.corpora.entries import Question
from core.strategies.lessons import Example, Observed


def seen(gold: int, given: int = 6) -> Observed:
    return Observed(gold=gold, given=given, calls=1, right=True)


def test_one_question_of_each_kind_comes_after_the_other() -> None:
    kinds = ["a", "a", "a", "b", "c", "b"]
    questions = [Question(text=f"{kind}{place}", type=kind) for place, kind in enumerate(kinds)]
    assert [one.text for one in kinds_in_turn(questions)] == ["a0", "b3", "c4", "a1", "b5", "a2"]


def test_more_evidence_in_more_passages_alone_is_no_gain() -> None:
    example = Example(
        id="q", question="?", evidence=3, plain=seen(1), plain_as_many=2, strategy=seen(2, given=12)
    )
    assert gain(example) == 0


@pytest.mark.parametrize(
    ("text", "answers", "tells"),
    [
        ("Who was Warden in 1921?", ("Marten Tesk",), True),
        ("Is the ferry electric?", ("Yes",), False),
        ("Was it the Petrel or the Gannet?", ("the Petrel",), False),
        ("How many gannets were counted?", (), False),
    ],
)
def test_an_answer_tells_something_where_it_is_not_in_the_question(
    text: str, answers: tuple[str, ...], tells: bool
) -> None:
    assert telling(Question(text=text, answers=answers)) is tells


def test_what_answers_are_made_of_is_there() -> None:
    assert all((ROOT / "core" / package).is_dir() for package in CODE)
    assert all((ROOT / "core" / "strategies" / folder).is_dir() for folder in SHOWN)
