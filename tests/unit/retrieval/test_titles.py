"""Documents are found in texts by their titles, as people write them; titles that say nothing are no names."""

from __future__ import annotations

import unicodedata

import pytest

from core.retrieval.titles import LONGEST, NAMESAKES, Titles, form_of
from tests.cases import cases

COMPANION = (
    "Petrel (steamer)",
    "Petrel (research vessel)",
    "Ilse Marrack – The Pellamar Companion",
    "Lantern Week - The Pellamar Companion",
    "University of Tollerby – The Pellamar Companion",
    "Library Rules 2016 – University of Tollerby",
    "Albany, Georgia",
    "Fog, and who made it",
    "Port Ansel",
    "Swing bridge of Port Ansel",
)


def mentioned(titles: tuple[str, ...], text: str) -> list[str]:
    """The titles that a text mentions, from left to right."""
    known = Titles(titles)
    found = [known.names[place.name].documents for place in known.places(text)]
    assert known.mentioned(text) == {place.name for place in known.places(text)}
    return [titles[document] for documents in found for document in documents]


@cases(
    ("text", "expected"),
    [
        ("She crossed in the Petrel.", ["Petrel (steamer)", "Petrel (research vessel)"]),
        ("the Petrel (steamer), not the other", ["Petrel (steamer)"]),
        ("Ilse Marrack’s ramp", ["Ilse Marrack – The Pellamar Companion"]),
        ("LANTERN WEEK begins", ["Lantern Week - The Pellamar Companion"]),
        ("the University of Tollerby", ["University of Tollerby – The Pellamar Companion"]),
        ("the Pellamar Companion says", []),
        ("born in Albany, where it rains", ["Albany, Georgia"]),
        ("the Albany Club; Albany’s, or Albany. He", ["Albany, Georgia", "Albany, Georgia"]),
        ("Fog, they say", []),
        ("the swing bridge of Port Ansel", ["Swing bridge of Port Ansel"]),
        ("In Port Ansel, in\nPort\nAnsel", ["Port Ansel", "Port Ansel"]),
        ("the port of Ansel; Portansel; a Petrels", []),
        ("a small petrel", []),
        ("LANTERN WEEK In 1921 it was held", []),
    ],
)
def test_titles_are_found_as_they_are_written_in_texts(text: str, expected: list[str]) -> None:
    assert mentioned(COMPANION, text) == expected


@cases(
    ("title", "text", "found"),
    [
        ("서울", "서울의 인구는 많다", True),
        ("서울", "남서울 구", False),
        ("펠라마르 (섬)", "이 배는 펠라마르에 간다", True),
        ("東京", "私は東京に住む", True),
        ("ターニック", "島のターニックの鐘", True),
        ("ポート・アンセル", "首都はポートアンセルである", True),
        ("ポートアンセル", "首都はポート・アンセルである", True),
        ("タイ", "ネクタイを買う", False),
        ("タイ", "タイプ", False),
        ("北京（城市）", "他住在北京。", True),
        ("猫", "猫がいる", False),
        ("NASA의 역사", "NASA의 역사는 길다", True),
        ("Straße des 17. Juni", "die STRASSE DES 17. JUNI", True),
        ("Café", "the Cafe\u0301", True),
    ],
)
def test_scripts_with_and_without_blanks(title: str, text: str, found: bool) -> None:
    assert bool(Titles([title]).mentioned(text)) is found


@cases("title", ["", "A", "The", "1984", "of the", "...", "12 (1994)"])
def test_titles_that_say_nothing_are_no_names(title: str) -> None:
    assert not Titles([title]).names


@cases(
    ("title", "text", "mention"),
    [
        ("Zoë Karlsen", "By Zoe\u0308 Karlse\u0301n, and Zoe\u0308 Karlsen.", "Zoe\u0308 Karlsen"),
        ("서울", unicodedata.normalize("NFD", "큰 서울의 인구"), unicodedata.normalize("NFD", "서울")),
        (
            "ガネット・ホルム",
            unicodedata.normalize("NFD", "島のガネット・ホルムの鐘"),
            unicodedata.normalize("NFD", "ガネット・ホルム"),
        ),
        ("Petrel (steamer)", "the Petrel (steamer), not", "Petrel (steamer)"),
        ("佩拉马尔（Pellamar）", "岛国佩拉马尔（Pellamar）的船", "佩拉马尔（Pellamar）"),
    ],
)
def test_a_mention_is_found_where_it_is_written(title: str, text: str, mention: str) -> None:
    (place,) = Titles([title]).places(text)
    assert text[place.start : place.end] == mention


@cases(
    ("title", "text", "found"),
    [
        ("Johnson (composer)", "the singer Samuel Johnson", False),
        ("Johnson (composer)", "In the Johnson of old", True),
        ("Johnson (composer)", "a score by Johnson, and", True),
        ("Leland, North Carolina", "David Leland wrote it", False),
        ("Metallica", "Sultan Metallica", True),
        ("United (album)", "Nelson United won", False),
        ("ペラマール", "ペラマール・フェリー会社", False),
        ("ペラマール", "東京・ペラマール・大阪", True),
        ("マラック", "イルゼ・マラック", False),
        ("马拉克", "伊尔莎·马拉克", False),
        ("東京", "東京・大阪・京都", True),
    ],
)
def test_a_part_of_another_name_is_no_mention(title: str, text: str, found: bool) -> None:
    assert bool(Titles([title]).mentioned(text)) is found


def test_a_short_name_is_written_letter_by_letter() -> None:
    assert Titles(["WHO"]).mentioned("The WHO says")
    assert not Titles(["WHO"]).mentioned("Who says?")


SKY = ("The sun rose over the sea; her story was long.", "A story of water and of the sun.")


@cases(
    ("title", "text", "found"),
    [
        ("The Sun", "A star such as the Sun shines", False),
        ("The Sun", "He wrote for The Sun in 1990", True),
        ("The Sun", "The Sun printed it", True),
        ("The Story", "It ends. The story is sad.", False),
        ("Water (song)", "Water is wet", False),
        ("Water (song)", "It is wet. Water is", False),
        ("Water (song)", "They sang Water for years", True),
        ("Water (song)", "“Water” was sung", True),
        ("Water (song)", "Songs: Karma!Water", True),
        ("Sun Water", "Sun water is two words, and rare", True),
        ("Petrel", "Petrel is a ship", True),
        ("water", "the water", True),
    ],
)
def test_one_ordinary_word_is_a_name_only_as_it_is_written(title: str, text: str, found: bool) -> None:
    assert bool(Titles([title], SKY).mentioned(text)) is found
    assert len(Titles([title], SKY).places(text)) == found


def test_languages_that_write_nouns_with_capitals_have_few_ordinary_words() -> None:
    german = ("Die Sonne scheint.", "Das ist die Sonne.")
    assert Titles(["Sonne"], german).mentioned("Sonne und Mond")


def test_a_shortened_name_gives_way_to_the_title_that_is_written_so() -> None:
    assert mentioned(("Petrel (steamer)", "Petrel"), "the Petrel") == ["Petrel"]


def test_hostile_titles() -> None:
    """Many of one name, a whole sentence, one that repeats itself, and a page: none is a name, and none is slow."""
    sentence = "This is a title that goes on " * 4
    titles = ["Report"] * (NAMESAKES + 1) + [
        sentence,
        "a b " * LONGEST,
        "x" * 100_000,
        "(" * 5000 + ")" * 5000,
    ]
    known = Titles(titles * 20)
    assert not known.mentioned(f"Report {sentence}" + "a b " * 5000)
    assert not form_of(sentence)
    assert Titles([" ".join(["Ab"] * length) for length in range(1, LONGEST + 1)]).mentioned("Ab " * 5000)


@pytest.mark.parametrize(
    ("title", "names"),
    [("Fog signals.", False), ("[Fog signals].", False), ("Ansel Ferries Ltd.", True), ("Fog signals", True)],
)
def test_a_title_that_ends_as_sentences_do_is_no_name(title: str, names: bool) -> None:
    assert bool(mentioned((title,), f"It says {title.strip('[].')} here.")) == names
