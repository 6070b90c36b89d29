"""IRCoT: retrieval and reasoning take turns; each sentence of reasoning is the next query.

Trivedi, Balasubramanian, Khot, Sabharwal 2023, arXiv 2212.10509.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from core.skills.base import MODEL
from core.skills.read import READ, read
from core.skills.think import FEW, MOST_THOUGHTS, THINK, concludes, think
from core.strategies.base import (
    END,
    START,
    Graph,
    NodeRuntime,
    RagState,
    Rerank,
    RunContext,
    Stage,
    Strategy,
    StrategyParams,
    Update,
)
from core.strategies.nodes import connect, in_order, node, reported, reranking, search_for_new, unconnected
from core.trace.artefacts import Answer, Context, ContextPassage, Ranking, Thought
from core.trace.events import emit_artefact

USUAL_STEPS = 3
"""Thoughts of a question with two hops, the last one included that gives the answer."""


class Params(StrategyParams):
    """How much each thought brings in, and when the chain must end."""

    k: int = Field(
        4,
        ge=1,
        le=20,
        title="New paragraphs per query",
        description="How many paragraphs each search brings in that were not there before.",
    )
    rerank: Rerank = 0
    paragraphs: int = Field(
        20,
        ge=1,
        le=40,
        title="Paragraphs in all",
        description="When so many have been gathered, the chain ends. All of them go to the reader. 20 are five "
        "searches of 4; the paper takes 15.",
    )
    max_steps: int = Field(
        6,
        ge=1,
        le=20,
        title="Thoughts",
        description="The longest chain of thoughts, each of which is searched with. The paper allows 8, its code 10.",
    )
    reader: Literal["from scratch", "last thought"] = Field(
        "from scratch",
        title="Who answers",
        description="A separate reader answers from all paragraphs without seeing the thoughts, as in the paper; or, "
        "carelessly, the last thought is taken as the answer, whatever went wrong on the way.",
    )


class State(RagState, total=False):
    """Adds the thoughts in their order; the last one, unless it ends the chain, is what is searched with next."""

    thoughts: Annotated[list[tuple[int, Thought]], operator.add]


async def gather(
    context: RunContext[Params], query: str, pool: Context | None, source: str
) -> tuple[Ranking, Context]:
    """Search for `k` paragraphs that are not in the pool yet.

    Returns:
        The ranking, as deep as it had to be read for them; and the pool with those at its end that it had room for.
    """
    most, passages = context.params.paragraphs, list(pool.passages) if pool else []
    ranking, new = await search_for_new(context, query, [item.passage for item in passages])
    room = max(0, most - len(passages))
    passages += [
        ContextPassage(rank=rank, score=hit.score, passage=hit.passage, given=True, source=source)
        for rank, hit in enumerate(new[:room], len(passages) + 1)
    ]
    full = f"{len(new) - room} more found, but {most} paragraphs are the most." if len(new) > room else ""
    return ranking, Context(passages=tuple(passages), note=full)


@node("retrieve", "Retrieve")
async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The first search, with the question itself."""
    context = runtime.context
    ranking, pool = await gather(context, state["question"], None, "the question")
    emit_artefact(context.tracer, ranking)
    return reported(context, context=pool)


@node("think", "Think one sentence")
async def next_thought(state: State, runtime: NodeRuntime[Params]) -> Update:
    """From all passages so far, one more sentence of the reasoning is written."""
    context, params = runtime.context, runtime.context.params
    thoughts = in_order(state.get("thoughts", []))
    passages = [item.passage for item in state["context"].passages]
    most = f"{params.paragraphs} paragraphs are the most, so another search would bring in nothing."
    full = f"The chain ends: {most}" if len(passages) >= params.paragraphs else ""
    if len(thoughts) >= params.max_steps:
        thought = _end(thoughts, f"The chain ends: {params.max_steps} {MOST_THOUGHTS}")
    elif full and params.reader == "from scratch":
        thought = _end(thoughts, full)
    else:
        thought = await think(context.skills, state["question"], passages, thoughts)
        thought = thought.model_copy(update={"ends": thought.ends or full})
    emit_artefact(context.tracer, thought)
    return {"thoughts": [(thought.index, thought)]}


def _end(thoughts: Sequence[Thought], why: str) -> Thought:
    """The end of a chain in the place of a sentence that nobody was asked for."""
    return Thought(index=len(thoughts), text="", written="", ends=why)


@node("retrieve_more", "Retrieve with it")
async def retrieve_more(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The last sentence of the reasoning is what is searched with next."""
    context, thought = runtime.context, _last(state)
    ranking, pool = await gather(context, thought.text, state["context"], thought.source)
    emit_artefact(context.tracer, ranking)
    return reported(context, context=pool)


def _last(state: State) -> Thought:
    return in_order(state["thoughts"])[-1]


@node("answer", "Read and answer")
async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A reader answers from all passages that were gathered on the way."""
    context = runtime.context
    if context.params.reader == "last thought":
        result = _last_thought(in_order(state["thoughts"]))
    else:
        result = await read(context.skills, state["question"], state["context"].given_passages)
    return reported(context, answer=result)


def _last_thought(thoughts: list[Thought]) -> Answer:
    """The last sentence of the chain as the answer, right or wrong."""
    last = next((thought for thought in reversed(thoughts) if thought.text), None)
    if last is None:
        return Answer(
            text="No thought was written, so there is nothing to answer with.",
            abstained=True,
            note="The last thought was to be the answer, but there is none.",
        )
    note = "The last thought, taken as the answer: nothing was checked against the paragraphs."
    if not concludes(last.text):
        note += " The chain ended before it came to an answer."
    return Answer(text=last.text, sentences=(last.text,), skill=THINK.key, method=last.method, note=note)


def build(params: Params) -> Graph:
    """retrieve → think → (retrieve more → think)* → answer."""

    def after(state: State) -> str:
        return "answer" if _last(state).ends else "retrieve_more"

    graph = unconnected(
        State,
        retrieve,
        next_thought,
        # In this order the arrow back from the second search does not cross the answer in the diagram.
        answer,
        retrieve_more,
    )
    connect(graph, START, "retrieve", "think")
    graph.add_conditional_edges("think", after, ["retrieve_more", "answer"])
    graph.add_edge("retrieve_more", "think")
    graph.add_edge("answer", END)
    return graph


def stages(params: Params) -> tuple[Stage, ...]:
    """One per thought, since each waits for the one before, with the search before it; one more search; the reader."""
    thoughts: list[Stage] = []
    for step in range(params.max_steps + 1):
        usual = int(step < USUAL_STEPS)
        deep = params.k + min(step * params.k, params.paragraphs)
        only = MODEL if step >= FEW else ""  # the other methods end before
        thoughts += reranking(params, usual, most=1, depth=deep)
        thoughts.append(Stage(THINK.key, usual, most=1, only=only))
    return (*thoughts[:-1], *([] if params.reader == "last thought" else [Stage(READ.key)]))


STRATEGY = Strategy(
    key="ircot",
    title="IRCoT",
    idea="Reason one sentence at a time, and search with each sentence before the next one is written.",
    paper="Trivedi et al. 2023, arXiv 2212.10509",
    helps="When a passage must be found before you know what to look for next: questions with several hops.",
    hurts="When a thought is wrong, its search leads astray. And every thought waits for the one before.",
    params=Params,
    stages=stages,
    build=build,
    # The palette's yellow vanishes on white as a line; this one holds 3 : 1 in both themes.
    colour="#8C6D31",
    order=80,
    picture="thought",
    family="think",
    appends=True,
)
