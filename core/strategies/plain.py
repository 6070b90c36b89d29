"""Plain retrieval: the nearest chunks for the question, then an answer that cites them (Lewis et al. 2020)."""

from __future__ import annotations

from core.skills.answer import ANSWER
from core.strategies.base import (
    BASELINE,
    Graph,
    NodeRuntime,
    OneSearchParams,
    RagState,
    Stage,
    Strategy,
    Update,
)
from core.strategies.exercises import Options, Outcome, nearest
from core.strategies.nodes import ANSWER_NODE, Node, chain, given_first, reported, search
from core.strategies.reranked import reranking


class Params(OneSearchParams):
    """Plain retrieval has only the one parameter."""


async def retrieve(state: RagState, runtime: NodeRuntime[Params]) -> Update:
    """One search with the question as it was asked."""
    context = runtime.context
    ranking = await search(context, state["question"])
    evidence = given_first(((hit.passage, hit.score) for hit in ranking.hits), context.params.k)
    return reported(context, context=evidence)


def build(params: Params) -> Graph:
    """retrieve → answer."""
    return chain(RagState, Node("retrieve", "Retrieve", retrieve), ANSWER_NODE)


STRATEGY = Strategy(
    key=BASELINE,
    title="Plain retrieval",
    idea="Search once with the question as it is, and answer from the best passages.",
    paper="Lewis et al. 2020, arXiv 2005.11401",
    helps="When the question already uses the words of the documents; it is fast and hard to beat.",
    hurts="When the answer needs several passages that the question does not resemble.",
    params=Params,
    stages=lambda params: (*reranking(params), Stage(ANSWER.key)),
    build=build,
    colour="#0072B2",
    order=20,
)


def exercise(_: Options) -> Outcome:
    """What is nearest by the cosine."""
    return nearest((1, 0), {"A": (0.9, 0.1), "B": (3, 3), "C": (0.5, 0)})
