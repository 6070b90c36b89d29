"""Nodes and helpers that several strategies share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

from core.skills.answer import answer as answer_skill
from core.strategies.base import NodeRuntime, RagState, RetrievalParams, Update
from core.trace.artefacts import Context, ContextPassage
from core.trace.passages import Passage
from core.trace.tracer import made

JUDGED_DEPTH = 10
"""Rankings are kept at least to this depth, so that retrieval can be judged."""


def given_first(ranked: Iterable[tuple[Passage, float]], given: int) -> Context:
    """Evidence in its final order; the first `given` passages go to the answer."""
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=score, passage=passage, given=rank <= given)
            for rank, (passage, score) in enumerate(ranked, 1)
        )
    )


class Branch(TypedDict):
    """What one branch of a fan-out is given: its place in the order, and the query it works on."""

    index: int
    label: str


def per_query(state: dict[str, Any]) -> list[Any]:  # of Send; LangGraph looks the hint up when it builds
    """One `retrieve` branch for each of the state's queries; all of them run at once."""
    from langgraph.types import Send

    return [
        Send("retrieve", Branch(index=index, label=query.text))
        for index, query in enumerate(state["queries"].queries)
    ]


async def answer(state: RagState, runtime: NodeRuntime[RetrievalParams]) -> Update:
    """The last node of every strategy that retrieves: answer the question from the given passages."""
    passages = [item.passage for item in state["context"].passages if item.given]
    result = await answer_skill(runtime.context.skills, state["question"], passages)
    made(runtime.context.tracer, result)
    return {"answer": result}
