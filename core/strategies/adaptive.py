"""Adaptive RAG: a router sends each question the cheapest way that will do: no search, one search, or several steps.

Jeong et al. 2024, arXiv 2403.14403. The ways are other strategies, whose nodes are nodes of this graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from core.skills import SKILLS
from core.skills.base import MODEL
from core.skills.route import ROUTE
from core.skills.route import route as choose_way
from core.strategies import closed_book, decomposition_sequential, ircot, plain
from core.strategies.base import (
    END,
    START,
    AnyStrategy,
    Graph,
    NodeRuntime,
    OneSearchParams,
    RunContext,
    Stage,
    Strategy,
    StrategyParams,
    Update,
)
from core.strategies.nodes import add, documents_of, node, reported, unconnected
from core.strategies.nodes import answer as answer_from_passages
from core.strategies.rounds import ChainState
from core.trace.artefacts import Context, Route, Way, WayName

MULTI_STEP: dict[str, AnyStrategy] = {
    module.STRATEGY.key: module.STRATEGY for module in (ircot, decomposition_sequential)
}
"""The strategies that can be the way of several steps."""


class Params(OneSearchParams):
    """How much one search brings in, which strategy takes several steps, and how many labelled questions vote."""

    k: int = Field(
        6,
        ge=1,
        le=20,
        title="Passages of one search",
        description="How many passages the model answers from where one search is enough. The other ways keep the "
        "settings of their strategies.",
    )
    multi_step: Literal["ircot", "decomposition-sequential"] = Field(
        "ircot",
        title="Several steps are",
        description="The strategy for questions that one search does not answer: IRCoT, as in the paper, or "
        "sequential decomposition.",
    )
    votes: int = Field(
        5,
        ge=1,
        le=25,
        title="Labelled questions that vote",
        description="Where no model chooses the way: how many of the nearest labelled questions vote.",
    )


class State(ircot.State, ChainState, total=False):
    """Adds the route to what the ways have."""

    route: Route


@dataclass(frozen=True)
class _Runtime:
    """The runtime of another strategy's node: the run's context, with parameters of its own."""

    context: RunContext[Any]


def ways(params: Params) -> dict[WayName, tuple[AnyStrategy, StrategyParams]]:
    """Each way as a strategy with its parameters, the cheapest first."""
    several = MULTI_STEP[params.multi_step]
    # A strategy knows best how many passages each of its searches brings in.
    return {
        "no-search": (closed_book.STRATEGY, closed_book.Params()),
        "one-search": (plain.STRATEGY, plain.Params(k=params.k, rerank=params.rerank)),
        "several-searches": (several, several.params(rerank=params.rerank)),
    }


@node("route", "Choose the way")
async def route(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A router judges how hard the question is, and chooses the cheapest way that will do."""
    context = runtime.context
    asks = context.skills.method(ROUTE) == MODEL
    documents = await documents_of(context.corpus) if asks and context.corpus else ""
    choice = await choose_way(context.skills, state["question"], documents, context.params.votes)
    return reported(context, route=choice.model_copy(update={"ways": _costs(context)}))


def _costs(context: RunContext[Params]) -> tuple[Way, ...]:
    """The costs of each way with the methods in force, routing left out."""
    costs = []
    for name, (strategy, params) in ways(context.params).items():
        methods = {key: context.skills.method(SKILLS[key]) for key in strategy.skills}
        cost = strategy.forecast(params, methods)
        costs.append(
            Way(
                way=name,
                strategy=strategy.key,
                rounds=cost.rounds,
                calls=cost.calls_expected,
                calls_most=cost.calls_most,
            )
        )
    return tuple(costs)


@node("search_nothing", "Search nothing")
async def search_nothing(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The model is trusted to know the answer, so nothing is searched."""
    return {"context": Context(passages=())}


Run = Callable[..., Any]
"""An async function of state and runtime."""


def build(params: Params) -> Graph:
    """route → nothing, one search, or the steps of another strategy → answer."""
    by_name = ways(params)
    strategy, own = by_name["several-searches"]
    steps = strategy.build(own)
    once = with_params(plain.retrieve, by_name["one-search"][1])
    search_once = replace(plain.retrieve, name="search_once", title="Search once", run=once)
    graph = unconnected(State, route, search_nothing, search_once)
    answers: dict[WayName, Run] = {
        "no-search": closed_book.answer,
        "one-search": answer_from_passages,
        "several-searches": with_params(_function(steps, "answer"), own),
    }

    @node("answer", "Answer")
    async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
        """The question is answered in the way that was chosen."""
        update: Update = await answers[state["route"].way](state, runtime)
        return update

    for name, step in steps.nodes.items():
        if name == "answer":
            add(graph, answer)
        else:
            run = with_params(_function(steps, name), own)
            graph.add_node(name, run, metadata=step.metadata, input_schema=step.input_schema)
    first = next(target for source, target in steps.edges if source == START)
    begin = {"no-search": "search_nothing", "one-search": "search_once", "several-searches": first}
    graph.add_edge(START, "route")
    graph.add_conditional_edges("route", lambda state: begin[state["route"].way], list(begin.values()))
    graph.add_edge("search_nothing", "answer")
    graph.add_edge("search_once", "answer")
    for source, target in sorted(steps.edges):
        if START not in (source, target) and END not in (source, target):
            graph.add_edge(source, target)
    for source, branches in steps.branches.items():
        for branch in branches.values():
            graph.add_conditional_edges(source, branch.path, branch.ends)
    graph.add_edge("answer", END)
    return graph


def with_params(run: Run, params: StrategyParams) -> Run:
    """A node of another strategy, which is given the parameters of its own."""

    async def inner(state: Any, runtime: NodeRuntime[Any]) -> Any:
        return await run(state, _Runtime(replace(runtime.context, params=params)))

    return inner


def _function(graph: Graph, name: str) -> Run:
    """The function of a node, as it was added to a graph."""
    runnable: Any = graph.nodes[name].runnable
    function: Run = runnable.afunc
    return function


def stages(params: Params) -> tuple[Stage, ...]:
    """Routing, then one of three ways, of which one search is the usual one; other ways of several steps never."""
    never = [
        replace(stage, count=0, most=0)
        for key, strategy in MULTI_STEP.items()
        for stage in strategy.stages(strategy.params())
        if key != params.multi_step
    ]
    by_name = ways(params)
    order: tuple[WayName, ...] = ("no-search", "several-searches", "one-search")
    taken = [
        replace(stage, way=way)
        for way in order
        for strategy, own in [by_name[way]]
        for stage in strategy.stages(own)
    ]
    return (Stage(ROUTE.key), *never, *taken)


STRATEGY = Strategy(
    key="adaptive",
    title="Adaptive RAG",
    idea="Choose for each question the cheapest way that will do: no search, one search or several steps.",
    paper="Jeong et al. 2024, Adaptive-RAG, arXiv 2403.14403",
    helps="When many questions are easy and some are hard: each gets only the steps that it needs.",
    hurts="When the router errs: it judges before anything was searched, and nothing corrects it later.",
    params=Params,
    stages=stages,
    build=build,
    colour="#4B5FC4",
    order=112,
    picture="route",
    family="judge",
    asks_first=True,
    routes=True,
)
