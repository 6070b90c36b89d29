"""What a reader cannot see, and names that a reader cannot tell apart."""

from __future__ import annotations

import pytest

from core.corpora.catalogue import Catalogue
from core.corpora.demo import DEMO_CORPUS, distinct_name, is_demo
from core.corpora.look_alikes import as_latin, look, without_invisible
from core.errors import InputError
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.demo_graphs import is_demo as is_demo_graph
from tests.cases import cases


@cases(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("\ufeffVale\u200b", "Vale"),
        ("co\u00adop\u2060", "coop"),
        ("a\u200db\u034fc\u180ed", "abcd"),
        ("\u3164x\uffa0\u115f", "x"),
        ("\u6771\u200d\u4eac", "\u6771\u4eac"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # Persian: parts the letters
        ("\u0645\u06cc\u200c", "\u0645\u06cc"),
        ("\u0645\u06cc\u200c \u062e", "\u0645\u06cc \u062e"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),  # Devanagari: a half form
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("\ufe0f a", " a"),
        ("\U0001f3f4\U000e0067\U000e007f", "\U0001f3f4\U000e0067\U000e007f"),
        ("a\U000e0067", "a"),
    ],
)
def test_what_cannot_be_seen_goes_unless_it_shapes_what_can(text: str, seen: str) -> None:
    assert without_invisible(text) == seen


@cases(
    "written",
    [
        "PELLAMAR", "Pella mar", "P\u034fellamar", "Pellamar\uffa0", "Pellamar\u3164", "Pell\u00adamar",
        "Ｐｅｌｌａｍａｒ", "Реllаmаr", "ΡellaΜar", "Pel\U000e0001lamar", "𝐏𝐞𝐥𝐥𝐚𝐦𝐚𝐫", "Ꮲellamar",
    ],
)  # fmt: skip
def test_names_that_look_the_same_are_the_same(written: str) -> None:
    assert look(written) == look("Pellamar")
    assert is_demo(DEMO_CORPUS.replace("Pellamar", written))


def test_names_of_what_comes_with_the_app_are_its_own() -> None:
    assert is_demo(DEMO_CORPUS.replace("l", "I", 1))
    for demo in DEMO_GRAPHS:
        assert is_demo_graph(demo.name.replace("e", "е").replace("a", "а") + "\u200b")
    assert not is_demo("Pellegrino")


def test_a_new_name_is_told_apart_from_all_others(tmp_path: object) -> None:
    catalogue = Catalogue(f"sqlite:///{tmp_path}/catalogue.sqlite")
    for name in ("A notes", "Заметки"):
        catalogue.create(name, "model-1", "Model one", 300, 50)
    for name in ("A notes", "B notes", "Заметка"):
        assert distinct_name(name, catalogue) == name
    for name in ("a  notes", "A\u200b notes", "А notes", "Зaметки"):
        with pytest.raises(InputError, match="which reads the same"):
            distinct_name(name, catalogue)
    assert distinct_name("a notes", catalogue, itself="A notes") == "a notes"


def test_places_of_a_plain_text_are_those_of_the_text() -> None:
    plain, places = as_latin("</\u0440\u0430ss\u200bage＞")
    assert plain == "</passage>"
    assert list(places) == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10]
