"""Numbers and names keep the marks that tell them apart, and a number is right without its unit.

Each pair is an answer and a right answer.
"""

from __future__ import annotations

from core.evaluation.answers import is_right
from core.evaluation.words import same, tokens
from tests.cases import cases

SAME = [
    ("1,000", "1000"), ("−5", "-5"), ("(3.14)", "3.14"), ("don’t", "don't"), ("Café", "Cafe\u0301"),
    ("【東京】", "東京"), ("A", "A"), ("A.", "A"), ("50%", "50"), ("50", "50%"), ("50 %", "50%"), ("$5", "5"),
    ("5", "€ 5"), ("1.000,5", "1000.5"), ("1.000.000", "1,000,000"), ("1'000", "1000"), ("1\u202f000", "1000"),
    ("1.000", "1000"), (".NET", ".NET"), ("(.NET)", ".NET"), ("C++.", "C++"), ("“C++”", "C++"), ("F#", "F#"),
    ("**Paris**", "Paris"), ("A+", "A+"), ("v1.2.3", "v1.2.3"), ("24/7", "24/7"), ("minus 5", "-5"), ("½", "1/2"),
    ("1½", "1 1/2"), ("5 million", "5,000,000"), ("5万", "50000"), ("٣٫١٤", "3.14"), ("$5.00", "$5"),
    ("10:30", "10:30"), ("10:30 a.m.", "10:30 am"), ("2024/01/05", "2024-1-5"), ("Vitamin A", "vitamin A"),
    ("A型", "A型"), ("1990–1995", "1990-1995"), ("the U.S.", "U.S."), ("Yahoo!", "Yahoo"), ("#1", "1"),
    ("10³", "10^3"), ("0.5", ".5"), ("C♯", "C#"),
]  # fmt: skip
DIFFERENT = [
    ("314", "3.14"), ("3.14", "314"), ("25.5", "255"), ("C++", "C"), ("C", "C++"), ("C#", "C"), ("C++", "C#"),
    ("The", "A"), ("An", "A"), ("5", "-5"), ("-5", "5"), ("12", "1/2"), ("1/2", "12"), ("1030", "10:30"),
    ("10:30", "1030"), ("F", "F#"), ("A", "A+"), ("A+", "A"), ("A-", "A"), ("A", "A-"), ("A", "A*"),
    ("NET", ".NET"), ("12", "1.2"), ("123", "1.2.3"), ("247", "24/7"), ("$5", "€5"), ("5", "5 million"),
    ("5 million", "5"), ("Plan B", "Plan A"), ("B型", "A型"), ("vitamin", "vitamin A"),
    ("hepatitis B", "hepatitis A"), ("0.5", "5"), ("5", "0.5"), ("05", "0.5"), ("3-1", "31"), ("31", "3-1"),
    ("10^5", "105"), ("10⁵", "105"), ("v12", "v1.2"), ("1.5", "15"), ("99.5%", "995"), ("2+2", "22"),
    ("1,5", "15"), ("12.5", "1.25"), ("3.1", "3.10"), ("9/11", "911"), ("18+", "18"), ("5%", "5‰"), ("O+", "O-"),
    ("a", "the"), ("<5", "5"), ("-3.5", "3.5"), ("$1.50", "$150"),
]  # fmt: skip
MEASURED = [
    ("642", "642 metres"), ("642 m", "642 metres"), ("642m", "642 metres"),
    ("It rises 642 metres over the sea.", "642 m"), ("642 meters", "642 metres"), ("42", "42 years"),
    ("42 years old", "42 years"), ("€ 5", "5"), ("5", "€ 5"), ("5 euros", "€5"), ("1998", "in 1998"),
    ("in 1998", "1998"), ("about 640", "640"), ("640", "about 640"), ("about 640 metres", "640"),
    ("12", "12 chapters"), ("The height is 642.", "642 metres"), ("642", "642米"), ("642", "642 미터"),
    ("642 Meter", "642 m"), ("30", "30 per cent"), ("30%", "30 percent"), ("20", "20 °C"),
    ("20 degrees Celsius", "20°C"), ("20C", "20 °C"), ("5 million", "5 million euros"), ("1,200", "1200 people"),
    ("42", "42歳"), ("42歳です", "42 years"), ("It is 642 high", "642 metres"), ("1998", "1998年"), ("-5", "-5 °C"),
    ("-5 °C", "-5"), ("2.5", "2.5 kg"), ("50 km/h", "50 kilometres per hour"), ("50", "50 km/h"),
    ("$5", "5 dollars"), ("300 square kilometres", "300 km²"), ("2 hours", "2 h"), ("642 (metres)", "642 metres"),
    ("10:30", "10:30 am"), ("About 42.", "42 years"), ("642 Meter hoch", "642 Meter"), ("642", "642 Meter"),
    ("12 sons", "12"), ("6 feet", "6 ft"), ("The answer is A.", "A"),
]  # fmt: skip
MEASURED_OTHERWISE = [
    ("640", "642 metres"), ("642 feet", "642 metres"), ("6420", "642 metres"), ("24", "24 February 1965"),
    ("11", "Apollo 11"), ("101", "101 Dalmatians"), ("5", "5 million euros"), ("640 metres", "642 metres"),
    ("50 km/h", "50 km"), ("50 km", "50 km/h"), ("20 °F", "20 °C"), ("42 months", "42 years"), ("$5", "5 euros"),
    ("about 640", "642 metres"), ("24", "24 février"), ("Highway 42", "42 years"), ("5 m", "5 square metres"),
    ("44", "44 BC"), ("12 sections", "12 chapters"), ("42 and 57", "42 years"), ("42", "42 and a half"),
    ("642 people", "642 metres"), ("6.42", "642 metres"), ("-642", "642 metres"), ("642 km", "642 m"),
    ("10:30 pm", "10:30 am"), ("2", "2 to 3 metres"), ("1998", "before 1998"), ("9", "9月11日"),
]  # fmt: skip


@cases(("text", "gold"), SAME)
def test_other_spellings_of_a_number_or_a_name_are_the_same(text: str, gold: str) -> None:
    assert same(text, gold) == 1
    assert is_right(text, [gold])


@cases(("text", "gold"), DIFFERENT)
def test_marks_tell_numbers_and_names_apart(text: str, gold: str) -> None:
    assert same(text, gold) == 0
    assert not is_right(text, [gold])


@cases(("text", "gold"), MEASURED)
def test_a_number_is_right_without_its_unit_and_with_another_name_of_it(text: str, gold: str) -> None:
    assert is_right(text, [gold])


@cases(("text", "gold"), MEASURED_OTHERWISE)
def test_another_unit_or_number_is_wrong(text: str, gold: str) -> None:
    assert not is_right(text, [gold])


@cases(
    "piece",
    ["1.", "1,", "-", "a ", "A-", "+", "$", "千", "1'000 ", "x1.", "½", "the.", " ", "minus ", "1-1/"],
)
def test_long_texts_of_marks_are_read_in_one_pass(piece: str) -> None:
    # A pattern that goes back over what it has read would not end on so many characters.
    assert len(tokens(piece * (20_000 // len(piece)))) <= 20_000
