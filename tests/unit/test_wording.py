"""Numbers in sentences, and texts that are cut."""

from __future__ import annotations

from core.wording import counted, duration, ordinal, shortened, time_span
from tests.cases import cases


@cases(
    ("number", "words", "text"),
    [
        (0, ("passage",), "0 passages"),
        (1, ("passage",), "1 passage"),
        (2, ("passage",), "2 passages"),
        (12345, ("passage",), "12,345 passages"),
        (1, ("query", "queries"), "1 query"),
        (2, ("query", "queries"), "2 queries"),
        (1, ("plan has", "plans have"), "1 plan has"),
        (3, ("plan has", "plans have"), "3 plans have"),
    ],
)
def test_a_number_and_its_noun(number: int, words: tuple[str, ...], text: str) -> None:
    assert counted(number, *words) == text


@cases(
    ("number", "text"),
    [(1, "first"), (10, "tenth"), (11, "11th"), (20, "20th"), (21, "21st"), (32, "32nd"), (113, "113th")],
)
def test_a_place_in_words(number: int, text: str) -> None:
    assert ordinal(number) == text


@cases(
    ("seconds", "text"),
    [
        (0.0, "1 s"),
        (1.4, "1 s"),
        (89.4, "89 s"),
        (90.0, "2 min"),
        (5399.0, "90 min"),
        (5400.0, "1.5 h"),
        (36000.0, "10.0 h"),
    ],
)
def test_a_time_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_text_is_cut_after_a_word_unless_that_loses_much() -> None:
    name = "Ferry Users' Committee: Minutes of the Meeting of 13 March 2018"
    assert shortened(name, 46) == "Ferry Users' Committee: Minutes of the…"
    assert shortened(name, 50) == "Ferry Users' Committee: Minutes of the Meeting of…"
    assert shortened(name, 100) == name
    assert shortened("x" * 30, 20) == "x" * 19 + "…"


@cases(
    ("low", "high", "text"),
    [
        (0.2, 0.4, "about 1 second"),
        (3.2, 6.1, "3 to 6 seconds"),
        (38.0, 41.0, "about 40 seconds"),
        (41.0, 85.0, "40 to 85 seconds"),
        (41.0, 200.0, "40 seconds to 3 minutes"),
        (100.0, 310.0, "2 to 5 minutes"),
        (110.0, 125.0, "about 2 minutes"),
        (3000.0, 7000.0, "50 minutes to 2 hours"),
    ],
)
def test_a_time_between_two_bounds(low: float, high: float, text: str) -> None:
    assert time_span(low, high) == text
