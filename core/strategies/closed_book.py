"""Closed book: no retrieval at all; what the model knows, or makes up."""

from __future__ import annotations

from core.skills.answer import RECALL, recall
from core.strategies.base import Graph, NodeRuntime, RagState, Stage, Strategy, StrategyParams, Update
from core.strategies.nodes import chain, node, reported


class Params(StrategyParams):
    """Closed book has no parameters."""


@node("answer", "Answer from memory")
async def answer(state: RagState, runtime: NodeRuntime[Params]) -> Update:
    """The model answers from memory: it is given the question and no passage."""
    result = await recall(runtime.context.skills, state["question"])
    return reported(runtime.context, answer=result)


def build(params: Params) -> Graph:
    """One node."""
    return chain(RagState, answer)


STRATEGY = Strategy(
    key="closed-book",
    title="Closed book",
    idea="Ask the model alone, with no documents: what it knows, or makes up.",
    paper="The baseline without retrieval, as in Roberts et al. 2020, arXiv 2002.08910",
    helps="When the model has seen the fact often, and to see what retrieval adds.",
    hurts="When the answer must be checked: it cites nothing, and sounds just as sure when it is wrong.",
    params=Params,
    stages=lambda params: (Stage(RECALL.key),),
    build=build,
    colour="#767676",
    order=10,
    family="once",
    retrieves=False,
)
