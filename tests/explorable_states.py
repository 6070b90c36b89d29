"""Values that the handles of explorables can have, at random; one function per explorable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

Data = Mapping[str, Any]
Values = dict[str, Any]


def rag_fusion(data: Data, random: Random) -> Values:
    return {
        "k": random.randint(1, 100),
        "from": random.choice("01"),
        "order": [random.sample(range(len(one["hits"])), len(one["hits"])) for one in data["lists"]],
    }


def chain(data: Data, random: Random) -> Values:
    return {
        "way": random.choice([one["key"] for one in data["ways"]]),
        "edit": random.choice(["none", *(one["key"] for one in data["edits"])]),
    }


def step_back(data: Data, random: Random) -> Values:
    return {"level": random.choice([one["key"] for one in data["levels"]])}


STATES: dict[str, Callable[[Data, Random], Values]] = {
    "decomposition_independent": chain,
    "decomposition_sequential": chain,
    "least_to_most": chain,
    "rag_fusion": rag_fusion,
    "step_back": step_back,
}
