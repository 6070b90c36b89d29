"""Cleaning of query variants: what is kept, what is dropped and why."""

import pytest

from core.skills.variants import MAX_CHARS, clean, tidy
from core.trace.artefacts import Queries

QUESTION = "Where was the director of Jaws born?"


def texts(made: Queries) -> list[str]:
    return [query.text for query in made.queries]


def test_numbering_bullets_and_quotes_are_stripped() -> None:
    assert tidy("  1. What  is it?") == "What is it?"
    assert tidy("- “What is it?”") == "What is it?"
    assert tidy("b) What is it?") == "What is it?"
    assert tidy("12) 1984 by George Orwell") == "1984 by George Orwell"


def test_initials_and_years_are_not_taken_for_numbering() -> None:
    assert tidy("C. S. Lewis wrote what?") == "C. S. Lewis wrote what?"
    assert tidy("1984 was written by whom?") == "1984 was written by whom?"
    assert tidy("2.5 km is how far?") == "2.5 km is how far?"


def test_order_is_first_seen_and_the_question_comes_first() -> None:
    made = clean(QUESTION, ["b one?", "a two?", "c three?"], n=5, include_original=True)
    assert texts(made) == [QUESTION, "b one?", "a two?", "c three?"]
    assert [query.origin for query in made.queries] == ["question", "model", "model", "model"]


def test_every_drop_has_its_reason() -> None:
    raw = ["", QUESTION.upper(), "One?", "one", "x" * (MAX_CHARS + 1), "Two?", "Three?"]
    made = clean(QUESTION, raw, n=2, include_original=False)
    assert texts(made) == ["One?", "Two?"]
    assert [drop.reason for drop in made.dropped] == [
        "empty",
        "a copy of the question",
        "a copy of an earlier variant",
        f"longer than {MAX_CHARS} characters",
        "only 2 were asked for",
    ]


def test_with_no_usable_variant_the_question_is_searched_even_if_not_asked_for() -> None:
    made = clean(QUESTION, [], n=3, include_original=False)
    assert texts(made) == [QUESTION]


def test_other_scripts_count_as_text() -> None:
    made = clean(
        "감독은 어디서 태어났나요?",
        ["감독은 어디서 태어났나요", "감독의 출생지는?"],
        n=3,
        include_original=True,
    )
    assert texts(made) == ["감독은 어디서 태어났나요?", "감독의 출생지는?"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('"When was he born?"', "When was he born?"),
        ('singer of "Elderberry Wine"', 'singer of "Elderberry Wine"'),
        ("“Elderberry Wine” singer", "“Elderberry Wine” singer"),
        ('2. "Who?"', "Who?"),
    ],
)
def test_quotation_marks_go_where_they_stand_round_the_whole(written: str, kept: str) -> None:
    assert tidy(written) == kept
