"""How the worked examples are chosen from what was observed."""

from __future__ import annotations

import pytest

from core.corpora.demo import STARTERS, WORLD
from core.corpora.entries import Question
from core.corpora.labels import read_questions
from core.runs.gallery import PIECES, GalleryPiece, read
from core.runs.record import record
from core.strategies.lessons import Example, Observed
from tests.cases import cases
from tools.examples.answered import candidates
from tools.examples.asking import CODE, ROOT, SHOWN
from tools.examples.lessons import better, chosen, gain, kinds_in_turn, telling
from tools.verdicts import right


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


@cases("piece", PIECES)
def test_a_piece_of_the_gallery_has_a_right_answer(piece: GalleryPiece) -> None:
    files = (WORLD / name for name in ("questions.jsonl", STARTERS))
    (asked,) = (
        one for file in files for one in read_questions(file, {}) if one.text == piece.requests[0].question
    )
    assert any(right(record(events), asked) for events in read(piece)[1])


@pytest.mark.parametrize(
    ("gold", "is_right", "plain_right", "is_better"),
    [(2, True, True, True), (1, True, False, True), (1, True, True, False), (2, False, False, False)],
)
def test_better_is_right_with_more_evidence_or_alone(
    gold: int, is_right: bool, plain_right: bool, is_better: bool
) -> None:
    plain, ours = (
        Observed(gold=1, given=6, calls=0, right=plain_right),
        Observed(gold=gold, given=6, calls=0, right=is_right),
    )
    example = Example(id="q", question="?", evidence=2, plain=plain, plain_as_many=1, strategy=ours)
    assert better(example) is is_better
    helps, fails = chosen([example])
    assert (helps is not None) == (is_better or gold > 1)
    assert (helps is None) != (fails is None)


def test_a_strategy_is_asked_what_was_written_for_it_and_what_another_answered() -> None:
    asked = [
        Question(text="A?", id="a"),
        Question(text="B?", id="b", strategies=("hyde",)),
        Question(text="C?", id="c"),
    ]
    assert [one.id for one in candidates("plain", asked, {})] == ["a", "b", "c"]
    assert [one.id for one in candidates("hyde", asked, {"plain": ["a"]})] == ["b", "a"]


def test_what_answers_are_made_of_is_there() -> None:
    assert all((ROOT / "core" / package).is_dir() for package in CODE)
    assert all((ROOT / "core" / "strategies" / folder).is_dir() for folder in SHOWN)
