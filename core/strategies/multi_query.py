"""Multi-Query: several rewordings are searched in parallel; the union of what they find is the evidence.

Part 5 of "RAG from Scratch"; LangChain's MultiQueryRetriever.
"""

from __future__ import annotations

import operator
from typing import Annotated

from pydantic import Field

from core.retrieval.fusion import unite
from core.skills.answer import ANSWER
from core.skills.reword import REWORD, variants
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
    search,
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
    """How many rewordings, and whether the question itself is searched too."""

    n: int = Field(
        5, ge=1, le=12, title="Rewordings", description="How many rewordings the model is asked for."
    )
    context_size: int = Field(
        12,
        ge=1,
        le=20,
        title="Passages for the answer",
        description="How many passages of the pool the model answers from, best rank first. LangChain's tutorial "
        "gives all: with fewer, the hits of a rewording that drifts push out what the question itself found.",
    )
    include_original: bool = Field(
        True,
        title="Search the question too",
        description="Search with the question itself as well. LangChain's tutorial leaves it out, and then all "
        "depends on the rewordings.",
    )


class State(RagState, total=False):
    """Adds the queries and one ranking per query, in the order of the queries."""

    queries: Queries
    rankings: Annotated[list[tuple[int, Ranking]], operator.add]


@node("reword", "Reword")
async def reword(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A model words the question in several other ways."""
    params = runtime.context.params
    queries = await variants(
        runtime.context.skills,
        REWORD,
        state["question"],
        n=params.n,
        include_original=params.include_original,
    )
    return reported(runtime.context, queries=queries)


@node("retrieve", "Retrieve, per query", branches=per_query)
async def retrieve(branch: Branch, runtime: NodeRuntime[Params]) -> Update:
    """Each wording is searched by itself, all at the same time."""
    return {"rankings": [(branch["index"], await search(runtime.context, branch["label"]))]}


@node("union", "Unique union")
async def union(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The hits of all searches become one pool, with each passage once."""
    united = unite(in_order(state["rankings"]))
    emit_artefact(runtime.context.tracer, united)
    evidence = best_first(united.places, runtime.context.params.context_size)
    return reported(runtime.context, context=evidence)


def build(params: Params) -> Graph:
    """reword → retrieve, once per query → union → answer."""
    return chain(State, reword, retrieve, union, answer)


def recomputed(run: Stored, params: Params) -> Context:
    """Evidence from the stored rankings, pooled again."""
    return best_first(unite(searched(run, params)).places, params.context_size)


STRATEGY = Strategy(
    key="multi-query",
    title="Multi-Query",
    idea="Ask the same question in several wordings, search with each, and pool what they find.",
    paper='"RAG from Scratch" part 5; LangChain MultiQueryRetriever',
    helps="When the documents use other words than the question.",
    hurts="When a rewording drifts: its passages compete with useful ones for the places that are given.",
    params=Params,
    stages=lambda params: (
        Stage(REWORD.key, asked_with=("n",)),
        *reranking(params, params.n + params.include_original),
        Stage(ANSWER.key),
    ),
    build=build,
    colour="#E69F00",
    order=30,
    picture="union",
    family="several",
    asks_first=True,
    recomputation=Recomputation(
        {"n": fewer, "include_original": where_it_was_on, "k": same_depth, "context_size": always}, recomputed
    ),
)
