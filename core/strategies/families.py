"""Families of strategies, by how they deal with a question that one search does not answer, in teaching order.

A strategy names its own (`Strategy.family`); the picker, Learn and the pictograms follow this list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
