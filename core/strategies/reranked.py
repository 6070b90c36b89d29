"""The stages of reranking in a forecast."""

from __future__ import annotations

from typing import Protocol

from core.skills.rerank import RERANK, windows
from core.strategies.costs import Stage
from core.trace.artefacts import EVAL_CUTOFF


class Searching(Protocol):
    """The parameters that say how much is reranked."""

    @property
    def k(self) -> int:
        """Hits that a search brings in."""

    @property
    def rerank(self) -> int:
        """Hits that are reranked; 0: none."""


def reranking(
    params: Searching,
    searches: int = 1,
    *,
    most: int | None = None,
    depth: int = EVAL_CUTOFF,
    beside: bool = False,
) -> tuple[Stage, ...]:
    """The stages of reranking what several searches at once find: one for each window, since each waits for the last.

    Args:
        params: With `rerank` and `k`.
        searches: As a rule; 0: only in a further turn of a loop.
        most: Largest number of searches; None: as `searches`.
        depth: Number of hits that a search keeps.
        beside: True if the first window runs at once with the stage before it.
    """
    if not params.rerank:
        return (Stage(RERANK.key, 0),)
    count = sum(1 for _ in windows(max(params.rerank, params.k, depth)))
    return tuple(Stage(RERANK.key, searches, most, beside and not number) for number in range(count))
