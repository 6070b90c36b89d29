"""Nodes without a model and without a corpus: passages that are numbers, and a retriever that has one ranking."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from core.strategies.base import StrategyParams
from core.trace.artefacts import EVAL_CUTOFF, Ranking
from core.trace.events import ListTracer
from core.trace.passages import Hit, Passage


def passage(name: object, text: str = "") -> Passage:
    """A passage whose title is its id."""
    return Passage(chunk=str(name), document="", title=str(name), text=text, position=0, start=0, end=0)


def ranking(*names: object, k: int | None = None, query: str = "") -> Ranking:
    """Passages in this order, or their names; `k`, all if not said, are used."""
    found = (one if isinstance(one, Passage) else passage(one) for one in names)
    hits = tuple(Hit(passage=one, rank=rank, score=0.0) for rank, one in enumerate(found, 1))
    return Ranking(query=query, retriever="dense", score_name="", k=k or max(1, len(hits)), hits=hits)


class Stored:
    """A retriever that has one ranking, and knows how deep it was read."""

    def __init__(self, names: Sequence[object]) -> None:
        self.names, self.depth = names, 0

    async def search(self, query: str, k: int, depth: int = EVAL_CUTOFF) -> Ranking:
        self.depth = depth
        return ranking(*self.names[:depth], k=k, query=query)


def runtime(params: StrategyParams, *names: object) -> Any:
    """What nodes run with; skills are missing, so that a node that asks a model fails."""
    context = SimpleNamespace(params=params, tracer=ListTracer(), retriever=Stored(names))
    return SimpleNamespace(context=context)
