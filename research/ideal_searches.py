"""What a strategy finds when its model writes what a good model would: the searches that a question's `ideal` names.

Each function gives the passages that would be given to the answer, by the same rules as the strategy itself, with
default parameters. No model is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field

from core.retrieval.fusion import fuse, unite
from core.retrieval.retriever import Retriever
from core.strategies import get_strategy
from core.strategies.step_back import both_contexts
from core.trace.artefacts import Ranking
from core.trace.passages import Frozen, Passage


class Ideal(Frozen):
    """What a good run of a question's strategies would write; what is empty was not written down."""

    variants: tuple[str, ...] = ()
    """Search queries beside the question."""
    sub_questions: tuple[str, ...] = ()
    """Each with the earlier answers filled in."""
    step_back: str = ""
    passage: str = ""
    """That would answer the question."""
    rounds: tuple[tuple[str, ...], ...] = ()
    """Questions asked together, round by round."""
    graph: Mapping[str, Any] = Field(default_factory=dict)
    """A query template's name (`template`) and its `arguments`."""
    cypher: str = ""
    names: tuple[str, ...] = ()
    """What the rows of a query must hold, where the answer is a list."""


Search = Callable[[Retriever, str, Ideal], Awaitable[list[Passage]]]


async def plain(retriever: Retriever, question: str, given: int) -> list[Passage]:
    """The first passages for the question as it is."""
    ranking = await retriever.search(question, given, given)
    return [hit.passage for hit in ranking.used]


async def _multi_query(retriever: Retriever, question: str, ideal: Ideal) -> list[Passage]:
    params = get_strategy("multi-query").params()
    rows = unite(await _searched(retriever, [question, *ideal.variants], params.k)).rows
    return [row.passage for row in rows][: params.context_size]


async def _rag_fusion(retriever: Retriever, question: str, ideal: Ideal) -> list[Passage]:
    params = get_strategy("rag-fusion").params()
    rows = fuse(await _searched(retriever, [question, *ideal.variants], params.k), params.rrf_k).rows
    return [row.passage for row in rows][: params.context_size]


async def _sub_questions(retriever: Retriever, question: str, ideal: Ideal) -> list[Passage]:
    k = get_strategy("decomposition-sequential").params().k
    return _each(await _searched(retriever, ideal.sub_questions, k))


async def _ircot(retriever: Retriever, question: str, ideal: Ideal) -> list[Passage]:
    """The question first; every search brings in `k` paragraphs that were not there before."""
    params, found = get_strategy("ircot").params(), list[Passage]()
    for query in [question, *ideal.sub_questions]:
        known = {passage.chunk for passage in found}
        ranking = await retriever.search(query, params.k, params.k + len(found))
        new = [hit.passage for hit in ranking.hits if hit.passage.chunk not in known]
        found += new[: params.k]
    return found[: params.paragraphs]


async def _step_back(retriever: Retriever, question: str, ideal: Ideal) -> list[Passage]:
    params = get_strategy("step-back").params()
    first, second = await _searched(retriever, [question, ideal.step_back], params.k)
    return [item.passage for item in both_contexts(first, second, params.context_size).passages if item.given]


async def _hyde(retriever: Retriever, question: str, ideal: Ideal) -> list[Passage]:
    params = get_strategy("hyde").params()
    ranking = await retriever.search_mean(question, [ideal.passage], with_question=True, k=params.k)
    return [hit.passage for hit in ranking.used]


async def _rounds(retriever: Retriever, question: str, ideal: Ideal) -> list[Passage]:
    k = get_strategy("agentic").params().k
    return _each(await _searched(retriever, [one for asked in ideal.rounds for one in asked], k))


async def _searched(retriever: Retriever, queries: Iterable[str], k: int) -> list[Ranking]:
    return await asyncio.gather(*(retriever.search(query, k) for query in queries))


def _each(rankings: Sequence[Ranking]) -> list[Passage]:
    """Every passage once, list by list."""
    return list({hit.passage.chunk: hit.passage for ranking in rankings for hit in ranking.used}.values())


SEARCHES: Mapping[str, tuple[str, Search]] = {
    "multi-query": ("variants", _multi_query),
    "rag-fusion": ("variants", _rag_fusion),
    "decomposition-sequential": ("sub_questions", _sub_questions),
    "decomposition-independent": ("sub_questions", _sub_questions),
    "least-to-most": ("sub_questions", _sub_questions),
    "self-rag": ("variants", _multi_query),
    "ircot": ("sub_questions", _ircot),
    "step-back": ("step_back", _step_back),
    "hyde": ("passage", _hyde),
    "agentic": ("rounds", _rounds),
}
"""Strategy -> the part of `Ideal` that it needs, and how it searches with it. Self-RAG's rewrites add to what is found,
as Multi-Query's do."""
