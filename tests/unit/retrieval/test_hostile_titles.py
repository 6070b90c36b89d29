"""Titles that would break or slow the graph of mentions: what is found, and how much work it took; no clock is read."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from core.retrieval.linked import stops, visits
from core.retrieval.links import ALWAYS, Links
from core.retrieval.titles import LONGEST, NAMESAKES, Titles
from core.trace.passages import Passage
from tests.cases import cases

SENTENCE = "A title that is a whole sentence can be mentioned only where somebody writes it out in full."
LONG_SENTENCE = f"{SENTENCE} {SENTENCE}"


def graph(titles: list[str], texts: list[str]) -> Links:
    passages = [
        Passage(
            chunk=str(place), document=str(place), title="", text=text, position=0, start=0, end=len(text)
        )
        for place, text in enumerate(texts)
    ]
    return Links(passages, {str(place): title for place, title in enumerate(titles)})


class Steps(dict[Any, Any]):
    """A node of the trie that counts how often one is looked for what may follow."""

    count = 0

    def get(self, key: Any, default: Any = None) -> Any:
        Steps.count += 1
        return super().get(key, default)


def steps(titles: list[str], text: str) -> int:
    """Steps in the trie that finding these titles in a text takes."""

    def counted(node: dict[Any, Any]) -> Steps:
        return Steps({key: counted(one) if isinstance(one, dict) else one for key, one in node.items()})

    known = Titles(titles)
    known._trie, Steps.count = counted(known._trie), 0
    known.mentioned(text)
    return Steps.count


@cases(
    "title",
    [
        "",
        " ",
        "A",
        "The",
        "I",
        "the of",
        "🐦",
        "🐦🐦 🐦",
        "1984",
        "***",
        "?",
        "()",
        "(x)",
        "-",
        "–",
        "\x00",
        "\u202e",
    ],
)
def test_titles_that_say_nothing_are_never_mentioned(title: str) -> None:
    found = graph([title] * 3, [f"A bird {title} of The 1984 x 🐦 ()", "The a I", title])
    assert found.count == 0
    assert not found.leads_on(0)


@cases(
    ("title", "text"),
    [
        (SENTENCE, f"Quoted: {SENTENCE} So it is."),
        ("C++ (language)", "They wrote C++ (language) there."),
        (r"a.*b|(?:c)+[d", "found: a.*b|(?:c)+[d."),
        (r"\d{1000}\b$^", r"it says \d{1000}\b$^"),
        ("<b>Bold</b> & <script>alert(1)</script>", "See <b>Bold</b> & <script>alert(1)</script>."),
        ("🐦 Wren", "A 🐦 Wren sings."),
        ("Ａｎｎａ", "Ａｎｎａ wrote."),
        ("Zoë", "Zoe\u0308 wrote."),
        ("İstanbul", "in İstanbul"),
        ("Anna\u200bDacre", "Anna\u200bDacre wrote"),
        ("مدينة", "إلى مدينة كبيرة"),
        ("กรุงเทพ", "ไป กรุงเทพ แล้ว"),
    ],
)
def test_signs_of_any_kind_are_found_as_they_are(title: str, text: str) -> None:
    known = Titles([title])
    text = unicodedata.normalize("NFC", text)
    (place,) = known.places(text)
    assert text[place.start : place.end] in title or title in text
    assert graph([title, "Other"], ["Its own passage.", text]).count == 1


@pytest.mark.parametrize(
    ("title", "text"),
    [("दिल", "दिल्ली में"), ("كتب", "كَتَبَ"), ("C# (language)", "in C, a C"), ("🐦 Wren", "Wrens")],
)
def test_other_words_are_no_mentions(title: str, text: str) -> None:
    assert graph([title, "Other"], ["Its own passage.", text]).count == 0


def test_a_sentence_that_is_too_long_is_no_name() -> None:
    assert len(LONG_SENTENCE.split()) > LONGEST
    assert graph([LONG_SENTENCE, ""], ["One.", LONG_SENTENCE]).count == 0


def test_ten_thousand_equal_titles() -> None:
    found = graph(["Annual Report"] * 10_000, ["The Annual Report of the Annual Report."] * 10_000)
    assert found.count == 0
    few = graph(["Annual Report"] * NAMESAKES + ["Other"], ["x"] * NAMESAKES + ["The Annual Report."])
    assert few.count == NAMESAKES
    assert (
        graph([f"Annual Report ({year})" for year in range(10_000)], ["An Annual Report."] * 10_000).count
        == 0
    )


def test_a_title_of_100_000_characters() -> None:
    for title in (
        "Ab " * 33_333,
        "x" * 100_000,
        "(" * 100_000,
        " - " * 33_333,
        "| " * 50_000,
        "Ab, " * 25_000,
    ):
        found = graph([title, ""], ["One.", title])
        assert found.count == 0
        assert steps([title], title) <= 2 * LONGEST * len(title.split())


def test_titles_that_are_beginnings_of_one_another() -> None:
    words = [f"Word{number}" for number in range(LONGEST)]
    titles = [" ".join(words[: length + 1]) for length in range(LONGEST)]
    found = graph(
        [*titles, "Other"],
        ["x"] * LONGEST + [f"See {' '.join(words)}, {words[0]}, and {' '.join(words[:7])}."],
    )
    assert found.count == 3  # the longest at each place
    repeated = [" ".join(["Ab"] * length) for length in range(1, LONGEST + 1)]
    for count in (1000, 2000):
        assert steps(repeated, "Ab " * count) <= 2 * count
    # Where none fits as it is written, every word begins a search of at most so many steps.
    for count in (1000, 2000):
        assert steps([f"{title}x" for title in repeated], "Ab " * count) <= LONGEST * count


def test_every_passage_mentions_every_title() -> None:
    names = [f"Name{number}" for number in range(200)]
    assert graph(names, [". ".join(names)] * 200).count == 0
    few = graph(names, [". ".join(names)] * ALWAYS + ["x"] * (200 - ALWAYS))
    assert few.count == ALWAYS * 199
    mass = stops(visits(few, {0: 1.0}), 0.35)
    assert mass.sum() == pytest.approx(1)
    assert (mass > 0).all()


def test_one_document_of_many_passages_that_all_are_mentioned() -> None:
    """One link of a passage and a document, however many passages the document has."""
    passages = [
        Passage(
            chunk=f"{one}",
            document=min(one, 1) * "B" or "A",
            title="",
            text=text,
            position=one,
            start=0,
            end=9,
        )
        for one, text in enumerate(["About Bert Olsen."] + ["More."] * 5000)
    ]
    found = Links(passages, {"A": "Anna", "B": "Bert Olsen"})
    assert found.count == 1
    assert found.shares(0).sum() == pytest.approx(5000)  # all that each of them has goes there
    assert visits(found, {0: 1.0}, 1)[1][1:].tolist() == pytest.approx([1 / 5000] * 5000)
