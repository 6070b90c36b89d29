"""The families of strategies, by which pages group them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.strategies.base import AnyStrategy

FamilyKey = Literal["once", "several", "split", "think", "judge", "explore", "more"]


@dataclass(frozen=True)
class Family:
    """Strategies that go about it alike."""

    key: FamilyKey
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


def by_family(members: Iterable[AnyStrategy]) -> dict[Family, list[AnyStrategy]]:
    """Group strategies by their families, in teaching order; a family without any is left out."""
    groups: dict[str, list[AnyStrategy]] = {}
    for strategy in members:
        groups.setdefault(strategy.family, []).append(strategy)
    return {family: groups[family.key] for family in (*FAMILIES, MORE) if family.key in groups}
