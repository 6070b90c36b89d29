"""The page of a lesson, and the page that leads to all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markupsafe import Markup
from mdit_py_plugins.dollarmath import dollarmath_plugin

from core.cards.parts import Drawing
from core.cards.texts import QUIET
from core.drawings.diagram import diagram_svg
from core.explorables import stored
from core.report.page import page
from core.strategies.base import AnyStrategy, Family
from core.strategies.lessons import Exercise, lesson, stem, text


def to_html(text: str) -> Markup:
    """Headings, emphasis, lists, links, tables, code and formulas between dollar signs; HTML in it stays text."""
    return Markup(_parser().render(text))  # noqa: S704  # files of our own


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").use(
        dollarmath_plugin, renderer=_formula, double_inline=True
    )  # fmt: skip


def _formula(latex: str, options: dict[str, Any]) -> str:
    """A formula; readers of a screen have the source of it as its text."""
    return convert(latex, display="block" if options.get("display_mode") else "inline")


SHOWN = "rag_fusion"
"""The explorable that visitors find first."""


@dataclass(frozen=True)
class Link:
    """Another page of the site."""

    file: str
    title: str
    about: str = ""
    """Its content, in a sentence."""
    strategy: str = ""
    """Key of the strategy that it is about, whose colour it has; empty: it is about none."""


@dataclass(frozen=True)
class Task:
    """The exercise of a lesson."""

    exercise: Exercise
    question: Markup
    explanation: Markup


@dataclass(frozen=True)
class Setting:
    """A parameter of a strategy."""

    title: str
    name: str
    default: str
    about: str


@dataclass(frozen=True)
class Around:
    """Where a lesson leads to."""

    runs: Sequence[Link]
    tour: Link | None
    before: Link | None
    after: Link | None


def lesson_page(key: str, title: str, strategy: AnyStrategy | None, around: Around, script: str) -> str:
    """A lesson.

    Args:
        key: Its key, which is its strategy's if it has one.
        title: What it is about.
        strategy: None: it belongs to none.
        around: Recorded runs, the tour of one, and neighbours.
        script: Its Python script; empty: it has none.
    """
    idea, _, more = text(key).partition("\n\n")
    return page(
        "site_lesson.html",
        title,
        {"lesson": strategy.colour if strategy else QUIET},
        name=title,
        idea=to_html(idea),
        text=to_html(more),
        explorable=stored(stem(key)),
        strategy=strategy,
        diagram=_diagram(strategy) if strategy else None,
        task=_task(key),
        settings=_settings(strategy) if strategy else (),
        script=script,
        around=around,
    )


def overview(
    families: Sequence[tuple[Family, Sequence[Link]]],
    first: Sequence[Link],
    runs: Sequence[Link],
    colours: Mapping[str, str],
) -> str:
    """The page that everything is reached from, with one explorable on it.

    Args:
        families: Lessons of the strategies.
        first: Lessons that belong to no strategy.
        runs: Recorded runs.
        colours: Key of a strategy -> its colour.
    """
    return page(
        "site_index.html",
        "Lessons",
        colours,
        families=families,
        first=first,
        runs=runs,
        explorable=stored(SHOWN),
    )


def _diagram(strategy: AnyStrategy) -> Drawing:
    graph = strategy.diagram(None)
    across = diagram_svg(graph, (), strategy.colour, across=True)
    return Drawing("diagram", {"down": diagram_svg(graph, (), strategy.colour), "across": across})


def _task(key: str) -> Task | None:
    exercise = lesson(key).exercise
    if exercise is None:
        return None
    return Task(exercise, to_html(exercise.question), to_html(exercise.explanation))


def _settings(strategy: AnyStrategy) -> list[Setting]:
    return [
        Setting(field.title or name, name, str(field.default), field.description or "")
        for name, field in strategy.params.model_fields.items()
    ]
