"""IRCoT: how paragraphs are gathered, and where a chain ends without asking a model."""

from __future__ import annotations

import asyncio

import pytest

from core.skills import methods_in_force
from core.skills.base import CAPABLE, ModelKind
from core.skills.think import FEW
from core.strategies import ircot
from core.strategies.base import Forecast
from core.strategies.ircot import Params, State
from core.trace.artefacts import Context, ContextPassage, Thought
from tests.unit.strategies.stored import passage, runtime


def pool(names: str) -> Context:
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=None, passage=passage(one), given=True)
            for rank, one in enumerate(names, 1)
        )
    )


def state(names: str, thoughts: int) -> State:
    chain = [(at, Thought(index=at, text=f"Fact {at}.", written="")) for at in range(thoughts)]
    return {"question": "q", "context": pool(names), "thoughts": chain}


def test_what_is_new_joins_the_pool_as_far_as_there_is_room() -> None:
    context = runtime(Params(k=3, paragraphs=5), *"abcdef").context
    ranking, found = asyncio.run(ircot.gather(context, "Fact.", pool("abd"), "thought 1"))
    assert "".join(item.passage.chunk for item in found.passages) == "abdce"
    assert [item.source for item in found.passages[3:]] == ["thought 1"] * 2
    assert [item.rank for item in found.passages] == [1, 2, 3, 4, 5]
    assert (ranking.k, found.note) == (6, "1 more found, but 5 paragraphs are the most.")


@pytest.mark.parametrize(
    ("names", "thoughts", "why"),
    [
        ("abcde", 1, "5 paragraphs are the most, so another search would bring in nothing."),
        ("abcde", 3, "3 thoughts are the most that this run allows."),
        ("abc", 3, "3 thoughts are the most that this run allows."),
    ],
)
def test_no_sentence_is_asked_for_whose_search_brings_nothing(names: str, thoughts: int, why: str) -> None:
    params = Params(paragraphs=5, max_steps=3)
    made = asyncio.run(ircot.next_thought(state(names, thoughts), runtime(params)))  # it has no model
    ((index, end),) = made["thoughts"]
    assert (index, end.text, end.ends) == (thoughts, "", f"The chain ends: {why}")


def test_by_default_a_chain_reaches_five_searches() -> None:
    params = Params()
    assert -(-params.paragraphs // params.k) >= 5


def forecast(kind: ModelKind = CAPABLE, **values: int) -> Forecast:
    params = Params.model_validate(values)
    methods = methods_in_force(["think", "read", "rerank"], kind, {})
    return ircot.STRATEGY.forecast(params, methods)


def test_each_thought_is_a_call_and_so_is_the_reader() -> None:
    assert forecast(max_steps=6).calls_most == 7
    assert forecast(max_steps=6, rerank=10, k=1, paragraphs=6).calls_most == 7 + 7, "seven searches"


def test_a_small_model_writes_few_thoughts() -> None:
    small = forecast(ModelKind("small"))
    assert (small.calls_expected, small.calls_most) == (FEW + 1, FEW + 1)


def test_a_thought_stored_before_is_read() -> None:
    thought = Thought(index=1, text="A fact.", written="A fact.")
    assert Thought.model_validate(thought.model_dump() | {"new": ["a-1"], "pool": ["a-1"]}) == thought
