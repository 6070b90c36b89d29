"""Families of strategies, by how they deal with a question that one search does not answer, in teaching order.

A strategy names its own (`Strategy.family`); the picker, Learn and the pictograms follow this list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from core.strategies.base import AnyStrategy

FamilyKey = Literal["once", "several", "split", "think", "judge", "explore", "more"]


@dataclass(frozen=True)
class Family:
    """Strategies that go about it alike."""

    key: FamilyKey
    """Its pictogram has this name, too."""
    title: str
    idea: str
    """What they have in common: a few words that go on from the title."""


FAMILIES = (
    Family("once", "Ask once", "the question as it is, or what its answer might look like"),
    Family("several", "Ask in several ways", "the same question in other words"),
    Family("split", "Split the question", "its parts, each with an answer of its own"),
    Family("think", "Search and think", "what was found says what to look for next"),
    Family("judge", "Judge", "what was found and what was said are graded before they count"),
    Family("explore", "Explore", "step by step through a graph, or with several tools"),
)
MORE = Family("more", "More", "strategies that name no family")
"""It comes last."""


def by_family(known: Iterable[AnyStrategy]) -> dict[Family, list[AnyStrategy]]:
    """Families that have members, and these in the order in which they come."""
    every = list(known)
    found = {family: [one for one in every if one.family == family.key] for family in (*FAMILIES, MORE)}
    return {family: members for family, members in found.items() if members}
