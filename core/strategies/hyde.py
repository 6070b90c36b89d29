"""HyDE: a passage that would answer the question is written, and what resembles it is found.

Gao, Ma, Lin, Callan, arXiv 2212.10496; part 9 of "RAG from Scratch".
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from core.errors import InputError
from core.jobs import at_once
from core.retrieval.fusion import unite
from core.skills.answer import ANSWER
from core.skills.passage import MOST_THINGS, PASSAGE, Style, passages
from core.strategies.base import (
    END,
    START,
    Graph,
    NodeRuntime,
    OneSearchParams,
    RagState,
    Stage,
    Strategy,
    Update,
)
from core.strategies.nodes import answer, best_first, connect, node, reported, reranking, search, unconnected
from core.strategies.recomputing import Recomputation, Stored, as_deep, same_depth
from core.trace.artefacts import Context, HypotheticalDocuments, PooledRanking, Ranking
from core.trace.events import emit_artefact


class Params(OneSearchParams):
    """How many passages of what kind, and what is searched with."""

    k: int = Field(
        6,
        ge=1,
        le=20,
        title="Passages",
        description="How many passages each search brings in, and how many the answer is given in all.",
    )

    n: int = Field(
        1,
        ge=1,
        le=8,
        title="Hypothetical passages",
        description="How many are written at once: 1 at temperature 0 in the tutorial, 8 at 0.7 in the paper's code.",
    )
    with_question: bool = Field(
        True,
        title="Mean with the question",
        description="Search with the mean of passages and question, as the paper does. The tutorial searches with "
        "the passage alone: what it gets wrong then weighs more. Keyword search always uses the passages' words.",
    )
    style: Style = Field(
        "encyclopedia",
        title="Kind of text",
        description="What the passages imitate: choose what your documents are like.",
    )


class State(RagState, total=False):
    """Adds the hypothetical passages."""

    passages: HypotheticalDocuments


@node("question", "Search the question")
async def search_question(state: State, runtime: NodeRuntime[Params]) -> Update:
    """One search with the question alone, to compare: nothing of it is used."""
    await search(runtime.context, state["question"])
    return {}


@node("write", "Write passages")
async def write(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Passages are made up that would answer the question; they need not be true in every detail."""
    params = runtime.context.params
    documents = await passages(
        runtime.context.skills,
        state["question"],
        n=params.n,
        style=params.style,
        with_question=params.with_question,
    )
    return reported(runtime.context, passages=documents)


@node("search", "Search the passages")
async def search_passages(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The search uses the mean of made-up passages and question, or these passages alone; only real ones come back.

    Paragraphs about different things are searched one by one, and what they find is united.
    """
    context, documents = runtime.context, state["passages"]

    async def ranked(texts: Sequence[str]) -> Ranking:
        ranking = await context.retriever.search_mean(
            state["question"],
            texts,
            with_question=documents.with_question,
            k=context.params.k,
        )
        emit_artefact(context.tracer, ranking)
        return ranking

    # Several texts of one reply are about several things: their mean would lie between them, near to none.
    apart = documents.each and len(documents.texts) > 1
    rankings = await at_once(
        ranked(texts) for texts in ([[text] for text in documents.texts] if apart else [documents.texts])
    )
    found: Ranking | PooledRanking = rankings[0]
    if apart:
        found = unite(rankings)
        emit_artefact(context.tracer, found)
    return reported(context, context=best_first(found.places, context.params.k))


def build(params: Params) -> Graph:
    """write, and at the same time search with the question → search with the passages → answer."""
    graph = unconnected(State, search_question, write, search_passages, answer)
    graph.add_edge(START, "question")
    graph.add_edge(START, "write")
    graph.add_edge(["question", "write"], "search")
    connect(graph, "search", "answer", END)
    return graph


def recomputed(run: Stored, params: Params) -> Context:
    """Evidence from the stored rankings of the passages.

    Raises:
        InputError: They are not stored.
    """
    rankings = [as_deep(ranking, params.k) for ranking in run.rankings("search")]
    if not rankings:
        raise InputError("What this run found is not stored.")
    # Paragraphs about several things were searched one by one.
    found = unite(rankings) if len(rankings) > 1 else rankings[0]
    return best_first(found.places, params.k)


STRATEGY = Strategy(
    key="hyde",
    title="HyDE",
    idea="Write a passage that would answer the question, and search for real passages that resemble it.",
    paper="Gao et al. 2022, Precise Zero-Shot Dense Retrieval without Relevance Labels, arXiv 2212.10496",
    helps="When questions and documents are worded very differently: a passage resembles passages.",
    hurts="When the model knows nothing of the subject: what it makes up leads the search astray.",
    params=Params,
    stages=lambda params: (
        Stage(PASSAGE.key, params.n, asked_with=("n", "style")),
        *reranking(params, beside=True),
        *reranking(params, most=MOST_THINGS if params.n == 1 else 1),
        Stage(ANSWER.key),
    ),
    build=build,
    colour="#A45A9B",
    order=100,
    picture="passages",
    family="once",
    asks_first=True,
    recomputation=Recomputation({"k": same_depth}, recomputed),
)
