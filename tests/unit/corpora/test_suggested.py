"""Questions that headings suggest."""

from __future__ import annotations

from core.corpora.suggested import suggested_questions
from core.trace.passages import Passage
from tests.cases import cases


def document(title: str, *headings: str, length: int = 100) -> list[Passage]:
    """With one chunk below each heading, each a little shorter than the one before."""
    return [
        Passage(
            chunk=f"{title}-{number}",
            document=title,
            title=title,
            text="",
            position=number,
            start=1000 * number,
            end=1000 * number + length - number,
            heading=heading,
        )
        for number, heading in enumerate(headings)
    ]


def test_each_document_has_its_turn_and_the_longest_section_comes_first() -> None:
    ducks = document("Duck - Wikipedia", "Duck", "Feeding", "Breeding")
    ships = document("ships.md", "2.1 Harbours", "Harbours")
    assert suggested_questions([ducks, ships]) == [
        "What does “Duck” say about “Feeding”?",
        "What do the documents say about “Harbours”?",
        "What does “Duck” say about “Breeding”?",
    ]
    minutes = document("Club minutes", "Ferry", "Dogs on board")  # several words say more than one
    assert suggested_questions([minutes])[0] == "What does “Club minutes” say about “Dogs on board”?"


def test_a_heading_that_is_a_question_is_asked_as_it_is() -> None:
    assert suggested_questions([document("Leaflet", "3. Why do ducks quack?")]) == ["Why do ducks quack?"]


@cases(
    "heading",
    [
        "",
        "References",
        "See also:",
        "Present",
        "1.2",
        "2021-03-04",
        "It rained all day.",
        "x" * 61,
        "<b>Bold</b>",
        "A “b” c",
    ],
)
def test_what_names_nothing_suggests_nothing(heading: str) -> None:
    assert suggested_questions([document("leaflet.md", heading)]) == []


def test_a_document_of_one_section_is_asked_about_by_its_title() -> None:
    assert suggested_questions([document("Ducks", "Ducks")]) == ["What does the document say about “Ducks”?"]
    both = suggested_questions([document("Ducks", "Ducks"), document("Ships", "Harbours")])
    assert both == [
        "What does “Ships” say about “Harbours”?",
        "What do the documents say about “Ducks”?",
    ]


def test_nothing_is_said_twice_and_nothing_is_made_of_nothing() -> None:
    assert len(suggested_questions([document("Leaflet", "Feeding")] * 2)) == 1
    assert suggested_questions([[], document("leaflet.md")]) == []
