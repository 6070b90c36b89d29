"""Nodes and helpers that several strategies share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from core.skills.answer import answer as answer_skill
from core.strategies.base import Graph, NodeRuntime, RagState, StrategyParams, Update
from core.trace.artefacts import Context, ContextPassage
from core.trace.passages import Passage
from core.trace.tracer import made

T = TypeVar("T")

JUDGED_DEPTH = 10
"""Rankings are kept at least to this depth, so that retrieval can be judged."""


class Branch(TypedDict):
    """What one branch of a fan-out is given: its place in the order, and the text it works on."""

    index: int
    label: str


@dataclass(frozen=True)
class Node:
    """One node of a `chain`."""

    name: str
    title: str
    """What it is called on screen."""
    run: Callable[..., Any]
    """Async function of state (or branch) and runtime."""
    branches: Callable[[Any], list[Branch]] | None = None
    """Set where it runs once per branch, all at once: the branches from the state."""


def chain(state: type, *nodes: Node) -> Graph:
    """A graph whose nodes run one after the other; a node with branches waits for all of them."""
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Send

    from core.strategies.base import RunContext

    def fan_out(name: str, branches: Callable[[Any], list[Branch]]) -> Callable[[Any], list[Send]]:
        return lambda values: [Send(name, branch) for branch in branches(values)]

    graph: Graph = StateGraph(state, context_schema=RunContext)
    before = START
    for node in nodes:
        graph.add_node(node.name, node.run, metadata={"title": node.title})
        if node.branches is None:
            graph.add_edge(before, node.name)
        else:
            graph.add_conditional_edges(before, fan_out(node.name, node.branches), [node.name])
        before = node.name
    graph.add_edge(before, END)
    return graph


def per_query(state: Any) -> list[Branch]:
    """One branch for each of the state's queries."""
    return [Branch(index=index, label=query.text) for index, query in enumerate(state["queries"].queries)]


def in_order(results: Iterable[tuple[int, Any]]) -> list[Any]:
    """What the branches of a fan-out gave, each with its index, in the order of the branches."""
    return [result for _, result in sorted(results, key=lambda pair: pair[0])]


def given_first(ranked: Iterable[tuple[Passage, float | None]], given: int) -> Context:
    """Evidence in its final order; the first `given` passages go to the answer."""
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=score, passage=passage, given=rank <= given)
            for rank, (passage, score) in enumerate(ranked, 1)
        )
    )


async def at_once(work: Iterable[Awaitable[T]]) -> list[T]:
    """The results of independent work, in its order; if one part fails, the others are stopped and it is raised."""
    tasks = [asyncio.ensure_future(part) for part in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def answer(state: RagState, runtime: NodeRuntime[StrategyParams]) -> Update:
    """The last node of every strategy that retrieves: answer the question from the given passages."""
    passages = [item.passage for item in state["context"].passages if item.given]
    result = await answer_skill(runtime.context.skills, state["question"], passages)
    made(runtime.context.tracer, result)
    return {"answer": result}


ANSWER_NODE = Node("answer", "Answer", answer)
