"""The questions by which lessons are measured, and how replies to them are scored."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import InputError
from core.strategies import strategies
from core.strategies.lessons import STANDALONE
from research.lessons.questions import (
    TransferQuestion,
    read_lines,
    reading_questions,
    transfer_questions,
)
from research.lessons.transfer import RIGHT, WITH, WITHOUT, Reply, main, shares, table

TOP = Path(__file__).parents[3]


def own_strategies() -> list[str]:
    """Keys of the strategies of this app, without those that other packages add."""
    return [key for key, one in strategies().items() if one.params.__module__.startswith("core.strategies.")]


def question(key: str, right: str, strategy: str = "plain") -> TransferQuestion:
    return TransferQuestion.model_validate(
        {
            "id": key,
            "strategy": strategy,
            "question": "Which?",
            "options": {name: name for name in "abcd"},
            "right": right,
            "why": "",
        }
    )


def test_each_strategy_has_two_questions_with_four_different_options() -> None:
    questions = transfer_questions()
    assert Counter(one.strategy for one in questions) == dict.fromkeys(own_strategies(), 2)
    assert len({one.id for one in questions}) == len(questions)
    for one in questions:
        assert tuple(one.options) == ("a", "b", "c", "d")
        assert len(set(one.options.values())) == 4
        assert one.right in one.options


def test_neither_place_nor_length_of_an_option_tells_that_it_is_right() -> None:
    questions = transfer_questions()
    places = Counter(one.right for one in questions)
    assert max(places.values()) - min(places.values()) <= 1
    for extreme in (max, min):
        tells = [one for one in questions if one.options[one.right] == extreme(one.options.values(), key=len)]
        assert len(tells) <= 0.4 * len(questions)
    for one in questions:
        lengths = [len(text) for text in one.options.values()]
        assert max(lengths) <= 1.25 * min(lengths), one.id


def test_every_right_option_names_the_code_that_makes_it_right() -> None:
    for one in transfer_questions():
        files = [word.strip("(),;:") for word in one.why.split() if word.startswith(("core/", "(core/"))]
        assert files, one.id
        assert all((TOP / file).is_file() for file in files), one.id


def test_each_lesson_has_five_open_questions() -> None:
    questions = reading_questions()
    lessons = [*own_strategies(), *(lesson.key for lesson in STANDALONE)]
    kinds = ("why", "count", "source", "limit", "careless")
    assert sorted(one.id for one in questions) == sorted(f"{key}-{kind}" for key in lessons for kind in kinds)
    assert all(one.id.startswith(one.lesson) and all(one.expected) for one in questions)


QUESTIONS = [
    question("p1", "a"),
    question("p2", "b"),
    question("h1", "c", "hyde"),
    question("h2", "d", "hyde"),
]


def replies(reader: str, lesson: bool, options: str) -> list[Reply]:
    """Replies to the questions in order; a blank: no option, a full stop: no reply."""
    return [
        Reply.model_validate({"id": one.id, "reader": reader, "lesson": lesson, "option": option.strip()})
        for one, option in zip(QUESTIONS, options, strict=True)
        if option != "."
    ]


HAND_MADE = [
    *replies("Ana", True, "abcd"),
    *replies("Ben", True, "aacd"),
    *replies("Cai", False, "ab d"),
    *replies("Dua", False, "ba.d"),
]


def test_a_question_counts_by_the_share_of_its_readers_who_are_right() -> None:
    scores = shares(HAND_MADE, QUESTIONS)
    assert {key: value[RIGHT] for key, value in scores[WITH].items()} == {
        "p1": 1,
        "p2": 0.5,
        "h1": 1,
        "h2": 1,
    }
    assert {key: value[RIGHT] for key, value in scores[WITHOUT].items()} == {
        "p1": 0.5,
        "p2": 0.5,
        "h1": 0,
        "h2": 1,
    }


def test_the_table_has_both_shares_their_difference_and_the_readers() -> None:
    _, _, plain, hyde, every = table(HAND_MADE, QUESTIONS)
    # Differences: 0.5 and 0; 1 and 0. Of two questions, the interval is their range.
    assert plain == "| plain | 0.75 | 0.50 | +0.25 (+0.00 to +0.50) | 2 | 2 | 2 |"
    assert hyde == "| hyde | 1.00 | 0.50 | +0.50 (+0.00 to +1.00) | 2 | 2 | 2 |"
    assert every.startswith("| all | 0.88 | 0.50 | +0.38 (")
    assert every.endswith(" | 4 | 2 | 2 |")


def test_without_replies_of_one_way_there_is_no_difference() -> None:
    *_, every = table(replies("Ana", True, "abcd"), QUESTIONS)
    assert every == "| all | 1.00 | – | – | 0 | 1 | 0 |"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (replies("Ana", True, "a...") * 2, "“Ana” answered “p1” twice with the lesson."),
        ([Reply(id="p9", reader="Ana", lesson=True)], "There is no question “p9”."),
    ],
)
def test_replies_that_cannot_be_scored_are_refused(wrong: Sequence[Reply], says: str) -> None:
    with pytest.raises(InputError, match=says):
        shares(wrong, QUESTIONS)


def test_a_file_of_replies_is_read_and_its_table_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *_ = transfer_questions()
    file = tmp_path / "replies.jsonl"
    told = {"id": first.id, "reader": "Ana", "lesson": True, "option": first.right}
    file.write_text(f"{json.dumps(told)}\n\n{json.dumps(told | {'lesson': False, 'option': ''})}\n")
    monkeypatch.setattr(sys, "argv", ["transfer", str(file)])
    main()
    assert "| all | 1.00 | 0.00 | +1.00 (+1.00 to +1.00) | 1 | 1 | 1 |" in capsys.readouterr().out


def test_a_line_that_is_no_reply_is_named(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text('{"id": "p1", "reader": "Ana", "lesson": true, "option": "e"}\n')
    with pytest.raises(InputError, match="Line 1"):
        list(read_lines(file, Reply))
