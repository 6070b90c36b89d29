"""RAG-Fusion: several queries search in parallel; Reciprocal Rank Fusion orders what they found.

Raudaschl's RAG-Fusion, part 6 of "RAG from Scratch"; RRF from Cormack, Clarke, Büttcher 2009.
"""

from __future__ import annotations

import operator
from typing import Annotated, Literal

from pydantic import Field

from core.retrieval.fusion import fuse
from core.skills.answer import ANSWER
from core.skills.reword import SEARCH_QUERIES, variants
from core.strategies.base import Graph, NodeRuntime, RagState, RetrievalParams, Stage, Strategy, Update
from core.strategies.nodes import (
    Branch,
    answer,
    best_first,
    chain,
    in_order,
    node,
    per_query,
    reported,
    reranking,
)
from core.strategies.recomputing import (
    Recomputation,
    Stored,
    always,
    fewer,
    same_depth,
    searched,
    where_it_was_on,
)
from core.trace.artefacts import Context, Queries, Ranking
from core.trace.events import emit_artefact


class Params(RetrievalParams):
    """How many queries, and how their rankings are fused."""

    n: int = Field(
        4, ge=1, le=12, title="Queries", description="How many search queries the model is asked for."
    )
    include_original: bool = Field(
        True,
        title="Search the question too",
        description="Search with the question itself as well, as Raudaschl's code does; LangChain's tutorial "
        "leaves it out.",
    )
    rrf_k: int = Field(
        60,
        ge=1,
        le=1000,
        title="RRF constant k",
        description="In 1 / (k + rank): the larger it is, the less it matters to be first. Cormack et al. use 60.",
    )
    first_rank: Literal[0, 1] = Field(
        1,
        title="Ranks count from",
        description="Cormack et al. count from 1, so the top hit adds 1/61; LangChain's tutorial "
        "counts from 0: 1/60.",
    )


class State(RagState, total=False):
    """Adds the queries and the rankings of each query, in the order of the queries."""

    queries: Queries
    rankings: Annotated[list[tuple[int, list[Ranking]]], operator.add]


@node("queries", "Write queries")
async def write_queries(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Search queries are written: the same need in other words."""
    params = runtime.context.params
    queries = await variants(
        runtime.context.skills,
        SEARCH_QUERIES,
        state["question"],
        n=params.n,
        include_original=params.include_original,
    )
    return reported(runtime.context, queries=queries)


@node("retrieve", "Retrieve, per query", branches=per_query)
async def retrieve(branch: Branch, runtime: NodeRuntime[Params]) -> Update:
    """Each query is searched by itself, all at the same time: each gives a ranked list.

    Where hybrid retrieval fuses ranks, dense and keyword rankings stay apart, since RRF needs no comparable scores.
    """
    context = runtime.context
    rankings = await context.retriever.lists(branch["label"], context.params.k)
    for ranking in rankings:
        emit_artefact(context.tracer, ranking)
    return {"rankings": [(branch["index"], rankings)]}


@node("fuse", "Fuse by RRF")
async def fuse_rankings(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Reciprocal Rank Fusion makes one list: a passage that stands high in several comes first.

    score(d) = Σ 1 / (k + rank(d)) over all lists that hold d.
    """
    context = runtime.context
    fused = fuse(
        [ranking for rankings in in_order(state["rankings"]) for ranking in rankings],
        k=context.params.rrf_k,
        first_rank=context.params.first_rank,
    )
    emit_artefact(context.tracer, fused)
    return reported(context, context=best_first(fused.places, context.params.context_size))


def build(params: Params) -> Graph:
    """queries → retrieve, once per query → fuse → answer."""
    return chain(State, write_queries, retrieve, fuse_rankings, answer)


def recomputed(run: Stored, params: Params) -> Context:
    """Evidence from the stored rankings, fused again."""
    fused = fuse(searched(run, params), params.rrf_k, params.first_rank)
    return best_first(fused.places, params.context_size)


STRATEGY = Strategy(
    key="rag-fusion",
    title="RAG-Fusion",
    idea="Search with several related queries and let Reciprocal Rank Fusion decide which passages lead.",
    paper="Raudaschl 2023, RAG-Fusion; RRF: Cormack, Clarke, Büttcher 2009, doi 10.1145/1571941.1572114",
    helps="When several views of the question agree on a passage: agreement moves it up.",
    hurts="When the queries drift together: what they share rises, whether it helps or not.",
    params=Params,
    stages=lambda params: (
        Stage(SEARCH_QUERIES.key, asked_with=("n",)),
        *reranking(params, params.n + params.include_original),
        Stage(ANSWER.key),
    ),
    build=build,
    colour="#009E73",
    fuses=True,
    order=40,
    picture="fusion",
    family="several",
    asks_first=True,
    recomputation=Recomputation(
        {
            "rrf_k": always,
            "first_rank": always,
            "n": fewer,
            "include_original": where_it_was_on,
            "k": same_depth,
            "context_size": always,
        },
        recomputed,
    ),
)
