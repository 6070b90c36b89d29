"""The unique union of several rankings."""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval.columns import gather
from core.retrieval.fusion import best_rank
from core.trace.artefacts import Ranking, Union


def unite(rankings: Sequence[Ranking]) -> Union:
    """Every passage that a ranking uses, once: best rank first, then first seen."""
    lists, rows = gather(rankings)
    return Union(lists=lists, rows=tuple(sorted(rows, key=best_rank)))
