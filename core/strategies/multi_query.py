"""Multi-Query: several rewordings search in parallel; their unique union is the evidence.

Part 5 of "RAG from Scratch"; LangChain's MultiQueryRetriever.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from core.retrieval.union import unite
from core.skills.answer import ANSWER
from core.skills.reword import REWORD, variants
from core.strategies.base import NodeRuntime, RagState, RetrievalParams, Stage, Strategy, Update
from core.strategies.nodes import JUDGED_DEPTH, Branch, answer, given_first, per_query
from core.trace.artefacts import Queries, Ranking
from core.trace.tracer import made

if TYPE_CHECKING:
    from langgraph.graph import StateGraph


class Params(RetrievalParams):
    """How many rewordings, and whether the question itself is searched too."""

    n: int = Field(
        5, ge=1, le=12, title="Rewordings", description="How many rewordings the model is asked for."
    )
    include_original: bool = Field(
        True,
        title="Search the question too",
        description="Search with the question itself as well. The tutorial leaves it out, and then everything "
        "hangs on the rewordings.",
    )


class State(RagState, total=False):
    """Adds the queries and one ranking per query, in the order of the queries."""

    queries: Queries
    rankings: Annotated[list[tuple[int, Ranking]], operator.add]


async def reword(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Ask for rewordings; drop copies and blanks."""
    params = runtime.context.params
    queries = await variants(
        runtime.context.skills,
        REWORD,
        state["question"],
        n=params.n,
        include_original=params.include_original,
    )
    made(runtime.context.tracer, queries)
    return {"queries": queries}


async def retrieve(branch: Branch, runtime: NodeRuntime[Params]) -> Update:
    """Search with one of the queries; all of them run at once."""
    context = runtime.context
    ranking = await context.searcher.search(branch["label"], context.params.k, depth=JUDGED_DEPTH)
    made(context.tracer, ranking)
    return {"rankings": [(branch["index"], ranking)]}


async def union(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Every chunk once: best rank first, then first seen."""
    rankings = [ranking for _, ranking in sorted(state["rankings"], key=lambda pair: pair[0])]
    united = unite(rankings)
    evidence = given_first(
        ((row.passage, row.score) for row in united.rows), runtime.context.params.context_size
    )
    made(runtime.context.tracer, united)
    made(runtime.context.tracer, evidence)
    return {"context": evidence}


def build(params: Params) -> StateGraph[Any, Any, Any, Any]:
    """reword → retrieve, once per query → union → answer."""
    from langgraph.graph import END, START, StateGraph

    from core.strategies.base import RunContext

    graph = StateGraph(State, context_schema=RunContext)
    graph.add_node("reword", reword, metadata={"title": "Reword"})
    # LangGraph's types do not foresee a node whose input comes from Send alone.
    graph.add_node("retrieve", retrieve, metadata={"title": "Retrieve, per query"})  # type: ignore[call-overload]
    graph.add_node("union", union, metadata={"title": "Unique union"})
    graph.add_node("answer", answer, metadata={"title": "Answer"})
    graph.add_edge(START, "reword")
    graph.add_conditional_edges("reword", per_query, ["retrieve"])
    graph.add_edge("retrieve", "union")
    graph.add_edge("union", "answer")
    graph.add_edge("answer", END)
    return graph


STRATEGY = Strategy(
    key="multi-query",
    title="Multi-Query",
    idea="Ask the same question in several wordings, search with each, and pool what they find.",
    paper='"RAG from Scratch" part 5; LangChain MultiQueryRetriever',
    helps="When the documents use other words than the question.",
    hurts="When a rewording drifts: its passages enter the pool with the same right as the others.",
    params=Params,
    stages=lambda params: (Stage(REWORD.key), Stage(ANSWER.key)),
    build=build,
    colour="#E69F00",
    order=30,
)
