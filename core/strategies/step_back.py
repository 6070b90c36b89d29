"""Step-back: search for the question and for a more general one behind it, and answer from both.

Zheng et al. 2023, arXiv 2310.06117; part 8 of "RAG from Scratch".
"""

from __future__ import annotations

from pydantic import Field

from core.errors import InputError
from core.retrieval.repeats import without_repeats
from core.skills.answer_step_back import ANSWER_STEP_BACK, answer_step_back
from core.skills.step_back import STEP_BACK, step_back
from core.strategies.base import (
    END,
    START,
    Graph,
    NodeRuntime,
    RagState,
    RetrievalParams,
    Stage,
    Strategy,
    Update,
)
from core.strategies.nodes import add, connect, node, reported, reranking, search, unconnected
from core.strategies.recomputing import Recomputation, Stored, always, as_deep, same_depth, where_it_was_on
from core.trace.artefacts import Context, Ranking, StepBack
from core.trace.passages import Passage

QUESTION, GENERAL, BOTH = "the question", "the step-back question", "both"
"""Where a passage of the evidence comes from."""


class Params(RetrievalParams):
    """A search with the question itself, and the number of passages for the answer."""

    context_size: int = Field(
        8,
        ge=1,
        le=40,
        title="Passages for the answer",
        description="How many passages the answer is given: those of the question first. "
        "8 hold both contexts of 4.",
    )
    include_original: bool = Field(
        True,
        title="Search the question too",
        description="Search with the question as well, while the model steps back. Without it, what the general "
        "question does not find is lost.",
    )


class State(RagState, total=False):
    """Adds the step back and what each of the two questions found."""

    step_back: StepBack
    specific: Ranking
    general: Ranking


@node("step_back", "Step back")
async def take_step_back(state: State, runtime: NodeRuntime[Params]) -> Update:
    """What is the more general question behind the one that was asked?"""
    step = await step_back(runtime.context.skills, state["question"])
    return reported(runtime.context, step_back=step)


@node("retrieve", "Retrieve")
async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A search with the question itself."""
    return {"specific": await search(runtime.context, state["question"])}


@node("retrieve_general", "Retrieve background")
async def retrieve_general(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A search with the more general question, for the background."""
    context, general = runtime.context, state["step_back"].general
    if general == state["question"] and context.params.include_original:
        return {}
    return {"general": await search(context, general)}


@node("join", "Put both together")
async def put_together(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The passages of both searches are put together, those of the question first."""
    evidence = both_contexts(state.get("specific"), state.get("general"), runtime.context.params.context_size)
    return reported(runtime.context, context=evidence)


def both_contexts(specific: Ranking | None, general: Ranking | None, count: int) -> Context:
    """Evidence from one or two rankings, each passage once and with its source; the first `count` are given."""
    first = specific.used if specific else ()
    second = general.used if general else ()
    chunks = [{chunk for hit in hits for chunk in hit.passage.ids} for hits in (first, second)]
    rows = without_repeats((hit.passage, hit.score) for hit in (*first, *second))

    def source(passage: Passage) -> str:
        """Say which of the two questions found a passage, or what it stands for."""
        by_question, by_general = (not own.isdisjoint(passage.ids) for own in chunks)
        return BOTH if by_question and by_general else QUESTION if by_question else GENERAL

    return Context.of(
        (passage, score, rank <= count, source(passage)) for rank, (passage, score) in enumerate(rows, 1)
    )


@node("answer", "Answer")
async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The question is answered from both contexts."""
    items = [item for item in state["context"].passages if item.given]
    result = await answer_step_back(
        runtime.context.skills,
        state["question"],
        state["step_back"].general,
        [item.passage for item in items if item.source != GENERAL],
        [item.passage for item in items if item.source == GENERAL],
        [item.rank for item in items if item.source == BOTH],
    )
    return reported(runtime.context, answer=result)


def build(params: Params) -> Graph:
    """step back → retrieve for it, beside retrieve for the question; then both together → answer."""
    graph = unconnected(State, take_step_back, retrieve_general, put_together, answer)
    connect(graph, START, "step_back", "retrieve_general")
    if params.include_original:
        add(graph, retrieve)
        graph.add_edge(START, "retrieve")
        graph.add_edge(["retrieve", "retrieve_general"], "join")
    else:
        graph.add_edge("retrieve_general", "join")
    connect(graph, "join", "answer", END)
    return graph


def recomputed(run: Stored, params: Params) -> Context:
    """Evidence from both stored rankings, put together again.

    Raises:
        InputError: They are not stored.
    """
    specific, general = run.rankings("retrieve"), run.rankings("retrieve_general")
    if not run.find(StepBack) or not (specific or general):
        raise InputError("What this run searched with is not stored.")
    # Where the general question is the one that was asked, it was searched once, as that.
    first, second = (
        as_deep(rankings[0], params.k) for rankings in (specific or general, general or specific)
    )
    if not params.include_original:
        return both_contexts(None, second, params.context_size)
    return both_contexts(first, second if general else None, params.context_size)


STRATEGY = Strategy(
    key="step-back",
    title="Step-back",
    idea="Ask a more general question behind the one that was asked, search for both, and answer from both.",
    paper="Zheng et al. 2023, arXiv 2310.06117",
    helps="When a detail hides in a passage on the wider subject, or follows from a principle.",
    hurts="When the question is simple: the background takes up space and may lead the answer astray.",
    params=Params,
    stages=lambda params: (
        Stage(STEP_BACK.key, asked_with=()),
        *(reranking(params, beside=True) if params.include_original else ()),
        *reranking(params),
        Stage(ANSWER_STEP_BACK.key),
    ),
    build=build,
    colour="#0F8B8D",
    order=90,
    picture="union",
    family="several",
    asks_first=True,
    appends=True,
    recomputation=Recomputation(
        {"include_original": where_it_was_on, "k": same_depth, "context_size": always}, recomputed
    ),
)
