"""Words parted at the end of a line are whole; compounds, numbers and names of things keep their hyphen."""

from __future__ import annotations

from core.corpora.loaders.pdf_words import Words
from tests.cases import cases
from tests.unit.corpora.loaders.pdf_pages import lines, text_of


@cases(
    ("ends", "begins", "whole"),
    [
        ("expendi-", "ture was", "expenditure was"),
        ("expendi\xad", "ture was", "expenditure was"),
        ("a self-", "taught pilot", "a self-taught pilot"),
        ("a well-", "known pilot", "a well-known pilot"),
        ("the evidence-", "based rule", "the evidence-based rule"),
        ("state-of-the-", "art locks", "state-of-the-art locks"),
        ("the Anglo-", "Dutch war", "the Anglo-Dutch war"),
        ("from 1921-", "1930 and", "from 1921-1930 and"),
        ("part AB-", "12 of it", "part AB-12 of it"),
        ("twenty-", "five ships", "twenty-five ships"),
        ("Haupt-", "und Nebensatz", "Haupt- und Nebensatz"),
        ("pre-", "and post-war", "pre- and post-war"),
        ("the ship -", "it sank", "the ship - it sank"),
        ("a long", "road", "a long road"),
        ("検索拡張", "生成", "検索拡張生成"),
        ("언어 모델", "지식", "언어 모델 지식"),
    ],
)
def test_line_ends(ends: str, begins: str, whole: str) -> None:
    assert Words([]).opened(ends, begins) + begins == whole


def test_the_document_itself_says_how_a_word_is_written() -> None:
    words = Words(
        [
            "The harbour-master came.",
            "A coworker left with the co-",
            "pilot. One more portable harbour",
            "a sea wall and",
        ]
    )
    assert words.opened("the harbour-", "master") == "the harbour-"
    assert words.opened("a co-", "worker") == "a co"
    assert words.opened("a port-", "able") == "a port"


def test_a_paragraph_is_one_line_and_a_list_is_not() -> None:
    prose = [
        "The deduction of special professional expendi-",
        "ture is allowed only where the navi-",
        "gation of the harbour is free.",
    ]
    assert text_of(lines(prose)) == (
        "The deduction of special professional expenditure is allowed only where the navigation of the harbour is free."
    )
    address = ["The Company", "Harbour Road 3", "Brackwater"]
    assert text_of(lines(address)).splitlines() == address
    items = [
        "• a bell for the tower of the old harbour",
        "• a rope",
        "1. A first rule, which goes on over",
        "the end of its line.",
        "2. A second rule.",
    ]
    assert text_of(lines(items)).splitlines() == [*items[:2], f"{items[2]} {items[3]}", items[4]]
    indented = (
        lines(["The first paragraph goes on and on up to here", "and ends."])
        + lines(["Another one is indented and has a second line", "like this."], x=90, y=732)[:0]
    )
    assert text_of(indented) == "The first paragraph goes on and on up to here and ends."
