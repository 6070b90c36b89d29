"""Which demo questions the built-in model answers rightly, as `tools.examples` found by running.

So the questions that a page offers first with that model are ones that get an answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from csv import DictReader
from functools import cache

from core.corpora.demo import WORLD

ANSWERED = WORLD / "answered.tsv"
"""A line for each strategy and question that was tried: the strategy's key, the question's id, the verdict."""
RIGHT = "right"


def answered(strategies: Iterable[str]) -> frozenset[str]:
    """Ids of the questions that at least one of these strategies was seen to answer rightly with the built-in model,
    the built-in embeddings and default settings. Blocks while reading, once.

    Args:
        strategies: Their keys.
    """
    known = _right()
    return frozenset().union(*(known.get(key, frozenset()) for key in strategies))


@cache
def _right() -> dict[str, frozenset[str]]:
    if not ANSWERED.exists():
        return {}
    found: defaultdict[str, set[str]] = defaultdict(set)
    with ANSWERED.open(encoding="utf-8", newline="") as file:
        for row in DictReader(file, delimiter="\t"):
            if row["verdict"] == RIGHT:
                found[row["strategy"]].add(row["question"])
    return {key: frozenset(ids) for key, ids in found.items()}
