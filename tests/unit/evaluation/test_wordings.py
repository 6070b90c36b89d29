"""Numbers in words, dates and ranges are read in one way."""

from __future__ import annotations

from core.evaluation.answers import is_right
from core.evaluation.quantities import is_other_unit
from core.evaluation.wordings import plain_wording
from core.evaluation.words import asserts
from tests.cases import cases


@cases(
    ("text", "plain"),
    [
        ("Twelve bells", "12 bells"),
        ("two hundred and five", "205"),
        ("three million four hundred thousand and one", "3400001"),
        ("one of them", "one of them"),  # counts nothing
        ("One.", "1."),
        ("an hour and a half", "1.5 hour"),
        ("two and a half kilometres", "2.5 kilometres"),
        ("3 hours and 30 minutes", "210 minutes"),
        ("one fifth of the votes", "20% of the votes"),
        ("one in five", "20%"),
        ("two thirds", "2/3"),
        ("half-brother", "half-brother"),
        ("the twenty-first century", "the 21th century"),
        ("21st", "21th"),
        ("Wednesday, 24 Feb. 1965", "Wednesday, 1965-2-24"),
        ("the seventh of June 1902", "the 1902-6-7"),
        ("June 7", "m6d7"),
        ("14.3.1931", "1931-3-14"),
        ("3/4/1874", "3/4/1874"),  # 3 April, or 4 March
        ("1968. 5. 1.", "1968-5-1"),
        ("1968년 5월 1일", "1968-5-1"),
        ("1931–54", "1931 to 1954"),
        ("between 40 and 60", "40 to 60"),
        ("1931年から1954年まで", "1931 to 1954"),
        ("一万两千人", "12000人"),
        ("一九二三年", "1923年"),
        ("三重県", "三重県"),
        ("마흔두 명", "42 명"),
        ("사십이 명", "42 명"),
        ("이 사람은", "이 사람은"),
        ("12 400 inhabitants", "12400 inhabitants"),
    ],
)
def test_wordings(text: str, plain: str) -> None:
    assert " ".join(plain_wording(text).split()) == plain


@cases(
    ("text", "gold", "right"),
    [
        ("1200 m", "1.2 km", True),
        ("120 m", "1.2 km", False),
        ("90 min", "1.5 hours", True),
        ("1.5 kg", "1500 g", True),
        ("1 yd", "3 ft", True),
        ("12 months", "1 year", True),
        ("18 miles per hour", "18 knots", False),
    ],
)
def test_another_unit_that_says_as_much_is_right(text: str, gold: str, right: bool) -> None:
    assert is_right(text, [gold]) is right
    assert is_other_unit(text, gold)


@cases(
    ("text", "part", "said"),
    [
        ("It was not Rome.", "Rome", False),
        ("In Bonn instead of in Rome", "Rome", False),
        ("It wasn't Rome but Bonn", "Rome", False),
        ("It wasn't Rome but Bonn", "Bonn", True),
        ("Not only Rome", "Rome", True),
        ("Not Bonn. Rome, not Paris.", "Rome", True),
        ("로마가 아니라 본이다", "로마", False),
        ("ローマではなくボン", "ローマ", False),
        ("不是罗马", "罗马", False),
    ],
)
def test_what_is_denied_is_not_asserted(text: str, part: str, said: bool) -> None:
    assert asserts(text, part) is said


@cases(
    "piece",
    [
        "one thousand ",
        "12 ",
        "one hundred and ",
        "1 in ",
        "2024-1-",
        "一万",
        "열",
        "between 1 ",
        "1931 to ",
        "March ",
    ],
)
def test_long_texts_are_read_in_one_pass(piece: str) -> None:
    # A pattern that goes back over what it has read would not end on so many characters.
    assert len(plain_wording(piece * (20_000 // len(piece)))) <= 40_000
