"""Strategies are named by their own files alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cards.kinds import route
from core.errors import InputError
from core.strategies import lessons, strategies, tutorial
from core.strategies.base import BASELINE
from core.strategies.lessons import STANDALONE, Lesson, examples, lesson, read_toml, stem, text
from core.strategies.lineups import COMPARED, EVALUATED, lineups
from tests.cases import cases
from tools.explorables import stems as explorables

ROOT = Path(__file__).parents[3]
STRATEGIES = ROOT / "core" / "strategies"
STEMS = {stem(key) for key in strategies()}
MEANT_OTHERWISE = {
    ("core/evaluation/pair_budget.py", BASELINE): "a field of what is stored",
    ("core/drawings/side_by_side.py", BASELINE): "a value that a drawing is given",
}
"""File and word -> what is meant by it that is no strategy."""


def modules() -> Iterator[Path]:
    """Every module of the app outside the folder of the strategies."""
    yield ROOT / "app.py"
    yield from (ROOT / "pages").glob("*.py")
    yield from (path for path in (ROOT / "core").rglob("*.py") if STRATEGIES not in path.parents)


def test_no_other_module_names_a_strategy() -> None:
    quoted = re.compile(
        "|".join(rf"[\"']{key}[\"']" for key in strategies())
    )  # the others need not be parsed
    named = {
        (str(path.relative_to(ROOT)), node.value)
        for path in modules()
        if quoted.search(text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in strategies()
    }
    assert named == set(MEANT_OTHERWISE)


def test_no_other_module_imports_a_strategy() -> None:
    for path in modules():
        for name in re.findall(r"core\.strategies\.(\w+)", path.read_text(encoding="utf-8")):
            assert name not in STEMS, path


def test_no_script_or_style_names_a_strategy() -> None:
    quoted = re.compile("|".join(rf"[\"'`]{key}[\"'`]" for key in strategies() if key != BASELINE))
    for path in (ROOT / "core").rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg"):
            assert not quoted.search(path.read_text(encoding="utf-8")), path


def test_the_baseline_is_named_once() -> None:
    folder = [path for path in STRATEGIES.rglob("*.py") if path.parent != STRATEGIES / "tutorial"]
    assert sum(f'"{BASELINE}"' in path.read_text(encoding="utf-8") for path in folder) == 1


@cases("key", strategies())
def test_its_files_have_one_name(key: str) -> None:
    for file in ("{}.py", "tutorial/{}.py", "lessons/{}.md", "lessons/{}.toml"):
        assert (STRATEGIES / file.format(stem(key))).is_file(), file
    assert f'key="{key}"' in (STRATEGIES / f"{stem(key)}.py").read_text(encoding="utf-8") or key == BASELINE


def test_no_companion_is_left_alone() -> None:
    known = {*STEMS, *(stem(lesson.key) for lesson in STANDALONE), "__init__", "sections", "standalone"}
    for package in (lessons, tutorial):
        for path in Path(str(package.__file__)).parent.iterdir():
            assert path.name.split(".")[0] in known or path.is_dir(), path
    assert set(explorables()) <= known


def test_a_lesson_without_files_is_empty() -> None:
    assert text("of-another-version") == ""
    assert examples("of-another-version") == ()
    assert lesson("of-another-version").exercise is None


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("family = ", "Invalid value"),
        ("families = 1", "families"),
        (
            '[exercise]\nquestion = "?"\nright = "c"\nexplanation = "."\n'
            'options = { a = "A", b = "B" }\ntempting = { a = "." }',
            "no option 'c'",
        ),
        (
            '[exercise]\nquestion = "?"\nright = "a"\nexplanation = "."\n'
            'options = { a = "A", b = "B" }\ntempting = { a = "." }',
            "for each wrong option",
        ),
    ],
)
def test_a_lesson_that_cannot_be_read_is_named(written: str, why: str) -> None:
    with pytest.raises(InputError, match=r"'x\.toml'") as refused:
        read_toml(Lesson, "x.toml", written)
    assert why in str(refused.value)


def test_every_line_up_that_a_page_offers_is_there_with_parameters_that_exist() -> None:
    found = lineups()
    assert {*COMPARED, *EVALUATED.values(), route.LINEUP} <= set(found)
    for name, members in found.items():
        assert len({(key, place.model_dump_json()) for key, place in members}) == len(members), name
        for key, place in members:
            strategies()[key].parse(place.params)
