"""A retriever whose hits a second judge puts in a new order, and what that costs in a forecast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from core.skills.rerank import RERANK, rerank, windows
from core.strategies.costs import Stage
from core.trace.artefacts import EVAL_CUTOFF, Ranking

if TYPE_CHECKING:
    from core.retrieval.fitting import Fitted, Widening
    from core.retrieval.joined import Walked
    from core.retrieval.retriever import Retriever
    from core.retrieval.walk import Walking
    from core.skills.base import SkillContext


class Searching(Protocol):
    """The parameters that say how much is reranked."""

    @property
    def k(self) -> int:
        """Hits that a search brings in."""

    @property
    def rerank(self) -> int:
        """Hits that are reranked; 0: none."""


class RerankedRetriever:
    """Searches as another retriever does, deeper where that is needed, and reranks what it finds."""

    def __init__(self, inner: Retriever, skills: SkillContext, count: int) -> None:
        """
        Args:
            inner: Searches.
            skills: Of the run: whose judgement it is.
            count: Hits that are reranked; never fewer than a search keeps.
        """
        self._inner, self._skills, self._count = inner, skills, count

    async def search(self, query: str, k: int, depth: int = EVAL_CUTOFF) -> Ranking:
        """See `Retriever.search`; also raises `CallLimitReached`, as all of these do."""
        return await self._reranked(query, await self._inner.search(query, k, self._depth(depth)))

    async def lists(self, query: str, k: int, depth: int = EVAL_CUTOFF) -> list[Ranking]:
        """One ranking: what a judge has put in order needs no fusion any more."""
        return [await self.search(query, k, depth)]

    async def search_mean(
        self, question: str, passages: Sequence[str], *, with_question: bool, k: int, depth: int = EVAL_CUTOFF
    ) -> Ranking:
        """See `Retriever.search_mean`; judged by the question, since what the passages say may be false."""
        found = await self._inner.search_mean(
            question, passages, with_question=with_question, k=k, depth=self._depth(depth)
        )
        return await self._reranked(question, found)

    async def vector(self, query: str) -> list[float]:
        """See `Retriever.vector`."""
        return await self._inner.vector(query)

    async def walk(self, found: Ranking, vector: Sequence[float], how: Walking) -> Walked | str:
        """See `Retriever.walk`."""
        return await self._inner.walk(found, vector, how)

    async def widen(self, found: Ranking, how: Widening) -> Fitted:
        """See `Retriever.widen`."""
        return await self._inner.widen(found, how)

    async def everything(self, most_tokens: int) -> Fitted:
        """See `Retriever.everything`."""
        return await self._inner.everything(most_tokens)

    def _depth(self, depth: int) -> int:
        return max(depth, self._count)

    async def _reranked(self, query: str, found: Ranking) -> Ranking:
        return await rerank(self._skills, query, found)


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
        beside: Whether the first window runs at once with the stage before it.
    """
    if not params.rerank:
        return (Stage(RERANK.key, 0),)
    count = sum(1 for _ in windows(max(params.rerank, params.k, depth)))
    return tuple(Stage(RERANK.key, searches, most, beside and not number) for number in range(count))
