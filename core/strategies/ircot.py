"""IRCoT: retrieval and reasoning take turns; each sentence of reasoning is the next query.

Trivedi, Balasubramanian, Khot, Sabharwal 2023, arXiv 2212.10509.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from core.skills.read import READ, read
from core.skills.think import THINK, concludes, think
from core.strategies.base import NodeRuntime, RagState, Stage, Strategy, StrategyParams, Update
from core.strategies.nodes import JUDGED_DEPTH, in_order
from core.trace.artefacts import Answer, Context, ContextPassage, Ranking, Thought
from core.trace.tracer import made

if TYPE_CHECKING:
    from langgraph.graph import StateGraph

MOST = "thoughts are the most that this run allows."
"""How the reason ends that a chain of the greatest length gives."""
USUAL_STEPS = 3
"""Thoughts of a question with two hops, the last one included that gives the answer."""


class Params(StrategyParams):
    """How much each thought brings in, and when the chain must end."""

    k: int = Field(
        4, ge=1, le=20, title="Paragraphs per query", description="How many paragraphs each search brings in."
    )
    paragraphs: int = Field(
        15,
        ge=1,
        le=40,
        title="Paragraphs in all",
        description="When so many have been gathered, no more are taken in. All of them go to the reader.",
    )
    max_steps: int = Field(
        6, ge=1, le=20, title="Thoughts", description="The longest chain of thoughts. The paper allows 10."
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


def _grown(pool: Context | None, ranking: Ranking, source: str, cap: int) -> tuple[Context, int]:
    """The paragraphs with the new ones of a ranking behind them, and how many new ones found no room."""
    passages = list(pool.passages) if pool else []
    known = {item.passage.chunk for item in passages}
    new = [hit for hit in ranking.used if hit.passage.chunk not in known]
    room = max(0, cap - len(passages))
    for hit in new[:room]:
        passages.append(
            ContextPassage(
                rank=len(passages) + 1, score=hit.score, passage=hit.passage, given=True, source=source
            )
        )
    return Context(passages=tuple(passages)), max(0, len(new) - room)


async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The first search, with the question itself."""
    context, params = runtime.context, runtime.context.params
    ranking = await context.searcher.search(state["question"], params.k, depth=JUDGED_DEPTH)
    pool, _ = _grown(None, ranking, "the question", params.paragraphs)
    made(context.tracer, ranking)
    made(context.tracer, pool)
    return {"context": pool}


async def next_thought(state: State, runtime: NodeRuntime[Params]) -> Update:
    """One more sentence from all paragraphs so far."""
    context, limit = runtime.context, runtime.context.params.max_steps
    thoughts: list[Thought] = in_order(state.get("thoughts", []))
    passages = [item.passage for item in state["context"].passages]
    thought = await think(context.skills, state["question"], passages, thoughts)
    if not thought.ends and len(thoughts) + 1 >= limit:
        ends = f"The chain ends: {limit} {MOST}"
        thought = thought.model_copy(update={"ends": ends})
    made(context.tracer, thought)
    return {"thoughts": [(thought.index, thought)]}


async def retrieve_more(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Search with the last thought; what is new joins the paragraphs."""
    context, params, thought = runtime.context, runtime.context.params, _last(state)
    ranking = await context.searcher.search(thought.text, params.k, depth=JUDGED_DEPTH)
    pool, left_out = _grown(state["context"], ranking, thought.source, params.paragraphs)
    if left_out:
        full = f"{left_out} more found, but {params.paragraphs} paragraphs are the most."
        pool = pool.model_copy(update={"note": full})
    made(context.tracer, ranking)
    made(context.tracer, pool)
    return {"context": pool}


def _last(state: State) -> Thought:
    last: Thought = in_order(state["thoughts"])[-1]
    return last


async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A separate reader answers from all paragraphs; or the last thought is taken as the answer."""
    context = runtime.context
    if context.params.reader == "last thought":
        result = _last_thought(in_order(state["thoughts"]))
    else:
        passages = [item.passage for item in state["context"].passages if item.given]
        result = await read(context.skills, state["question"], passages)
    made(context.tracer, result)
    return {"answer": result}


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


def build(params: Params) -> StateGraph[Any, Any, Any, Any]:
    """retrieve → think → (retrieve more → think)* → answer."""
    from langgraph.graph import END, START, StateGraph

    from core.strategies.base import RunContext

    def after(state: State) -> str:
        last = _last(state)
        return "answer" if last.ends or last.index + 1 >= params.max_steps else "retrieve_more"

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(State, context_schema=RunContext)
    graph.add_node("retrieve", retrieve, metadata={"title": "Retrieve"})
    graph.add_node("think", next_thought, metadata={"title": "Think one sentence"})
    # In this order the arrow back from the second search does not cross the answer in the diagram.
    graph.add_node("answer", answer, metadata={"title": "Read and answer"})
    graph.add_node("retrieve_more", retrieve_more, metadata={"title": "Retrieve with it"})
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "think")
    graph.add_conditional_edges("think", after, ["retrieve_more", "answer"])
    graph.add_edge("retrieve_more", "think")
    graph.add_edge("answer", END)
    return graph


def stages(params: Params) -> tuple[Stage, ...]:
    """One per thought, since each waits for the one before, and the reader."""
    thoughts = tuple(
        Stage(THINK.key, count=1 if step < USUAL_STEPS else 0, most=1) for step in range(params.max_steps)
    )
    return thoughts if params.reader == "last thought" else (*thoughts, Stage(READ.key))


STRATEGY = Strategy(
    key="ircot",
    title="IRCoT",
    idea="Reason one sentence at a time, and search with each sentence before the next one is written.",
    paper="Trivedi et al. 2023, arXiv 2212.10509",
    helps="When a passage must be found before one knows what to look for next: questions with several hops.",
    hurts="When a thought is wrong: it searches for what is not so. And every thought waits for the one before.",
    params=Params,
    stages=stages,
    build=build,
    # The palette's yellow vanishes on white as a line; this one holds 3 : 1 in both themes.
    colour="#8C6D31",
    order=80,
    appends=True,
)
