"""Heads, feet and page numbers do not cut sentences in two; what is said once stays."""

from __future__ import annotations

import pytest

from tests.unit.corpora.loaders.pdf_pages import lines, pdf, read, show, text_of

BODY = (
    ["The lock of Brackwater was opened in 1887 and", "was widened by the engineer"],
    ["Orrin Vale in 1921, who also", "raised the quay and the"],
    ["sluice. It closed in 1974."],
)
WHOLE = (
    "The lock of Brackwater was opened in 1887 and was widened by the engineer Orrin Vale in 1921, who also raised the "
    "quay and the sluice. It closed in 1974."
)


@pytest.mark.parametrize("foot", ["Page {} of 3", "{}", "- {} -", "{} / 3"])
def test_a_sentence_goes_on_over_pages(foot: str) -> None:
    pages = [
        show("ANNUAL REPORT OF THE BOARD", 72, 800) + lines(body, y=700) + show(foot.format(number), 290, 40)
        for number, body in enumerate(BODY, 1)
    ]
    document = read(pdf(*pages))
    assert document.text == f"ANNUAL REPORT OF THE BOARD\n\n{WHOLE}"
    assert [document.page_at(document.text.index(word)) for word in ("opened", "Orrin", "sluice")] == [
        1,
        2,
        3,
    ]


def test_heads_that_alternate_and_carry_the_page_number() -> None:
    heads = (
        "2 The history of harbours",
        "Chapter of locks 3",
        "4 The history of harbours",
        "Chapter of locks 5",
    )
    pages = [
        show(head, 72, 800) + show(f"Story {word} is told.", 72, 700)
        for head, word in zip(heads, "abcd", strict=True)
    ]
    text = text_of(*pages)
    assert text.count("history of harbours") == text.count("Chapter of locks") == 1
    assert [f"Story {word} is told." in text for word in "abcd"] == [True] * 4


def test_what_only_looks_alike_stays() -> None:
    totals = [
        lines([f"Sum of the month: {number}"], y=790) + show("Words.", 72, 500) for number in (70, 17, 43)
    ]
    assert all(f"month: {number}" in text_of(*totals) for number in (70, 17, 43))
    same = ["The board met twice and asked for a new bell."] * 40
    assert text_of(lines(same, y=800), lines(same, y=800)).count("asked for a new bell.") == 80
    assert text_of(show("Only page", 72, 800) + show("1", 290, 40)).split() == ["Only", "page", "1"]


def test_a_footnote_stands_before_a_sentence_that_goes_on() -> None:
    first = lines(["A paragraph that ends before the other begins, and has some length."], y=760) + lines(
        BODY[0], y=700
    )
    first += show("1 See the report of the year of the flood.", 72, 90, 8)
    document = read(pdf(first, lines([*BODY[1], *BODY[2]], y=760)))
    assert WHOLE in document.text
    note = document.text.index("1 See the report")
    assert note < document.text.index("The lock")
    assert document.page_at(note) == 1
