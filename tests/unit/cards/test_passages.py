"""How a passage is named, and what of its text its card shows."""

from __future__ import annotations

import pytest

from core.cards.kinds.fusion import fusion_flow, fusion_grid
from core.cards.matching import matches
from core.cards.passages import PassageCard, names, passage_card, pieces, shortened, where
from core.trace.artefacts import FusedRow, Fusion, RankedList
from core.trace.passages import Passage
from tests import examples


def test_quotes_are_marked_and_the_text_stays_whole() -> None:
    cut = pieces("One. Two. Three.", ["Two."])
    assert [(piece.text, piece.marked) for piece in cut] == [
        ("One. ", False),
        ("Two.", True),
        (" Three.", False),
    ]
    assert [piece.text for piece in pieces("One.", ["absent", ""])] == ["One."]
    assert pieces("", ["x"]) == ()


def test_a_passage_says_where_it_is_from() -> None:
    assert where(examples.PASSAGES[0]) == "page 1 · chunk 1"
    assert where(examples.PASSAGES[1]) == "Career · chunk 2"


def chunk(position: int, title: str = "Duck", heading: str = "", text: str = "") -> Passage:
    return Passage(
        chunk=f"{title}-{position}", document=title, title=title, text=text, position=position, start=0, end=1,
        heading=heading,
    )  # fmt: skip


def test_chunks_of_one_document_have_names_of_their_own() -> None:
    assert names([chunk(0), chunk(0, "Goose")]) == {"Duck-0": "Duck", "Goose-0": "Goose"}
    assert list(names([chunk(0, heading="Food"), chunk(3, heading="Nests")]).values()) == [
        "Duck · Food",
        "Duck · Nests",
    ]
    own = names([chunk(0, heading="Duck"), chunk(3, heading="Nests")])
    assert list(own.values()) == ["Duck · chunk 1", "Duck · Nests"]
    same = [chunk(0, heading="Food"), chunk(3, heading="Food"), chunk(0, "Goose")]
    assert list(names(same).values()) == ["Duck · Food · chunk 1", "Duck · Food · chunk 4", "Goose"]
    bare = [chunk(0, heading="Food"), chunk(3), chunk(0, "Goose")]
    assert list(names(bare).values()) == ["Duck · Food", "Duck · chunk 4", "Goose"]
    paged = [one.model_copy(update={"page": page}) for one, page in zip(same, (2, 12, 1), strict=True)]
    assert list(names(paged).values()) == ["Duck · p. 2", "Duck · p. 12", "Goose"]


def test_a_short_name_keeps_what_tells_it_apart() -> None:
    every = [chunk(place, "A very long title of a document", "A rather long heading") for place in (0, 1)]
    short = list(names(every, 20).values())
    assert short == ["A very lo… · chunk 1", "A very lo… · chunk 2"]
    assert list(names(every[:1], 20).values()) == ["A very long title…"]
    headed = [chunk(place, "A long title", heading) for place, heading in enumerate(("Food", "Nests"))]
    assert list(names(headed, 17).values()) == ["A long ti… · Food", "A long t… · Nests"]


def test_pictures_and_tables_tell_chunks_of_one_document_apart() -> None:
    passages = [chunk(place) for place in range(3)]
    order = Fusion(
        k=60, first_rank=1,
        lists=(RankedList(query="q", retriever="dense"),),
        rows=tuple(FusedRow(passage=one, ranks=(rank,), score=1 / rank) for rank, one in enumerate(passages, 1)),
    )  # fmt: skip
    assert [one["name"] for one in fusion_flow(order)["passages"]] == [
        row.card.title for row in fusion_grid(order).rows
    ]
    assert [row.card.title for row in fusion_grid(order).rows] == [
        "Duck · chunk 1",
        "Duck · chunk 2",
        "Duck · chunk 3",
    ]


def test_a_folded_passage_begins_with_what_the_answer_used() -> None:
    before = "Behaviour\n\nFeeding\n\n" + "Something else is said here. " * 8
    text = f"{before}Ducks eat grass. And more."
    card = passage_card(chunk(0, text=text), 1, None, "", quotes=["Ducks eat grass."])
    assert seen(card) == "… Ducks eat grass. And more."
    assert "".join(piece.text for piece in card.pieces) == text
    assert card.where == "Feeding · chunk 1"
    assert seen(passage_card(chunk(0, text="Duck\n\nDucks eat."), 1, None, "")) == "Ducks eat."
    assert passage_card(chunk(0, text="Duck\n\nDucks eat."), 1, None, "").where == "chunk 1"


def test_a_folded_passage_shows_every_sentence_that_was_used() -> None:
    long = "Something else is said here. " * 8
    text = f"Birds. Ducks eat grass. {long}They fly far, too. The end."
    card = passage_card(chunk(0, text=text), 1, None, "", quotes=["fly far", "Ducks eat grass."])
    assert seen(card) == "… Ducks eat grass.… They fly far, too. The end."
    assert [piece.text for piece in card.pieces if piece.marked] == ["Ducks eat grass.", "fly far"]


def test_what_the_answer_did_not_use_begins_with_what_shares_most_with_the_question() -> None:
    text = "Feeding\n\nThe duck is a bird. Ducks eat grass and insects. The end."
    every = [chunk(0, text=text), chunk(1, text="A duck swims."), chunk(2, text="Geese.")]
    found = matches("What does a duck eat?", every)
    assert list(found) == ["Duck-0", "Duck-1"]
    card = passage_card(every[0], 1, None, "", match=found["Duck-0"])
    assert seen(card) == "… Ducks eat grass and insects. The end."
    assert [piece.text for piece in card.pieces if piece.match] == ["Ducks eat grass and insects."]
    used = passage_card(every[0], 1, None, "", match=found["Duck-0"], quotes=["The end."])
    assert seen(used) == "… The end."
    assert not any(piece.match for piece in used.pieces)


@pytest.mark.parametrize(
    ("asked", "text", "sentence"),
    [
        (
            "鴨子吃什麼？",
            "鴨子是一種水鳥。牠們吃水草和昆蟲，鴨子吃得很多。牠們會飛。",
            "牠們吃水草和昆蟲，鴨子吃得很多。",
        ),
        (
            "カモは何を食べますか。",
            "カモは水鳥です。カモは草や虫を食べます。空を飛びます。",
            "カモは草や虫を食べます。",
        ),
        (
            "오리는 무엇을 먹습니까?",
            "오리는 물새입니다. 오리는 풀을 먹습니다. 하늘을 납니다.",
            "오리는 풀을 먹습니다.",
        ),
    ],
)
def test_the_sentence_that_matches_is_found_without_blanks_between_words(
    asked: str, text: str, sentence: str
) -> None:
    start, end = matches(asked, [chunk(0, text=text)])["Duck-0"]
    assert text[start:end] == sentence


def test_a_name_is_not_said_twice() -> None:
    every = [chunk(0, heading="Food", text="They eat."), chunk(1, heading="Nests", text="They nest.")]
    card = passage_card(every[0], 1, None, "", name=names(every)["Duck-0"])
    assert (card.title, card.where) == ("Duck · Food", "chunk 1")


def seen(card: PassageCard) -> str:
    """What a folded card shows."""
    return "".join(piece.instead if piece.early else piece.text for piece in card.pieces)


def test_what_tells_a_passage_from_others_is_kept() -> None:
    name = "Ferry Passengers Regulation 2011, as it was amended · p. 4"
    short = shortened(name, 40)
    assert short == "Ferry Passengers Regulation 2011… · p. 4"
    assert len(short) <= 40
    assert shortened("Port Ansel · p. 4", 40) == "Port Ansel · p. 4"


def test_a_name_without_such_a_part_is_left_to_be_cut_at_its_end() -> None:
    long = "A title that has no page, no heading and nothing else"
    assert shortened(long, 20) == long
    assert shortened(f"Duck · {long}", 40) == f"Duck · {long}"
