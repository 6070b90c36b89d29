"""The families of strategies, by which pages group them, and the path through all lessons, which follows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.strategies.base import AnyStrategy
from core.strategies.lessons import STANDALONE, Standalone

FamilyKey = Literal["once", "several", "split", "think", "judge", "explore", "more"]
Taught = AnyStrategy | Standalone
"""Both have the key, the title and the idea of their lesson."""


@dataclass(frozen=True)
class Family:
    """Strategies that go about it alike."""

    key: FamilyKey | Literal["begin", "measure"]
    """Its pictogram has this name, too."""
    title: str
    idea: str
    """A few words that go on from the title and name their common idea."""


FAMILIES = (
    Family("once", "Ask once", "the question as it is, or what its answer might look like"),
    Family("several", "Ask in several ways", "the question, reworded or widened"),
    Family("split", "Split the question", "its parts, each with an answer of its own"),
    Family("think", "Search and think", "what was found says what to look for next"),
    Family("judge", "Judge", "the question, what was found, or the draft is judged before it counts"),
    Family("explore", "Explore", "step by step through a graph, or with several tools"),
)
MORE = Family("more", "More", "strategies that name no family")
"""It comes last."""
BEGIN = Family("begin", "Begin", "what RAG is, and what is searched")
MEASURE = Family("measure", "With every strategy", "a better order, larger passages, and a fair test")
"""Chapters of lessons that are about no strategy alone."""


def by_family(members: Iterable[AnyStrategy]) -> dict[Family, list[AnyStrategy]]:
    """Group strategies by their families, in teaching order; a family without any is left out."""
    groups: dict[str, list[AnyStrategy]] = {}
    for strategy in members:
        groups.setdefault(strategy.family, []).append(strategy)
    return {family: groups[family.key] for family in (*FAMILIES, MORE) if family.key in groups}


def chapters(members: Iterable[AnyStrategy]) -> dict[Family, list[Taught]]:
    """Group all lessons, those of these strategies and those that stand alone, in the order in which to read them."""
    grouped = by_family(members)
    found: dict[Family, list[Taught]] = {}
    for family in (BEGIN, *FAMILIES, MORE, MEASURE):
        lessons: list[Taught] = [one for one in STANDALONE if one.chapter == family.key]
        lessons += grouped.get(family, [])
        if lessons:
            found[family] = lessons
    return found


def path(members: Iterable[AnyStrategy]) -> list[Taught]:
    """List the lessons of all chapters, from number 0 on."""
    return [lesson for lessons in chapters(members).values() for lesson in lessons]
