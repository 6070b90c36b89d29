"""Plain retrieval: the nearest chunks for the question, then an answer that cites them (Lewis et al. 2020)."""

from __future__ import annotations

from pydantic import Field

from core.retrieval.widening import Give, Selection, Widening
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
from core.strategies.nodes import answer, best_first, chain, given_first, node, reported, reranking, search
from core.trace.artefacts import Context

USUAL = Widening()


class Params(OneSearchParams):
    """How many passages, and in which form: as they were found, or with what stands around them."""

    give: Give = Field(
        "passages",
        title="Give",
        description="What the model answers from: the passages that were found; each with its surroundings, the chunks "
        "next to it; the whole documents that they are from; or everything, which is all documents without a search.",
    )
    neighbours: int = Field(
        USUAL.neighbours,
        ge=1,
        le=10,
        title="Neighbours",
        description="Surroundings: how many chunks are given on either side of a hit. Those that touch become one "
        "passage.",
        json_schema_extra={"applies": {"give": ["surroundings"]}},
    )
    most_tokens: int = Field(
        USUAL.most_tokens,
        ge=100,
        le=200_000,
        title="Tokens at most",
        description="Surroundings and documents are given as far as they fit: the hits themselves first, then whole "
        "windows or documents, the best hit's first. Counted as chunks are; your model may count differently.",
        json_schema_extra={"applies": {"give": ["surroundings", "documents", "everything"]}},
    )


@node("retrieve", "Retrieve")
async def retrieve(state: RagState, runtime: NodeRuntime[Params]) -> Update:
    """One search with the question as it was asked."""
    context, params = runtime.context, runtime.context.params
    if params.give == "everything":
        return reported(context, context=_context(await context.retriever.everything(params.most_tokens)))
    ranking = await search(context, state["question"])
    if params.give == "passages":
        evidence = best_first(ranking.places, params.k)
    else:
        how = Widening(params.give, params.neighbours, params.most_tokens)
        evidence = _context(await context.retriever.widen(ranking, how))
    return reported(context, context=evidence)


def _context(selection: Selection) -> Context:
    """The passages that are given, and behind them the hits that are in none of these."""
    ranked = [*selection.given, *((hit.passage, hit.score) for hit in selection.rest)]
    return given_first(ranked, len(selection.given)).model_copy(update={"note": selection.note})


def build(params: Params) -> Graph:
    """retrieve → answer."""
    return chain(RagState, retrieve, answer)


def stages(params: Params) -> tuple[Stage, ...]:
    """One answer; what is not searched is not reranked."""
    searched = params if params.give != "everything" else params.model_copy(update={"rerank": 0})
    return (*reranking(searched), Stage(ANSWER.key))


STRATEGY = Strategy(
    key=BASELINE,
    title="Plain retrieval",
    idea="Search once with the question as it is, and answer from the best passages.",
    paper="Lewis et al. 2020, arXiv 2005.11401",
    helps="When the question already uses the words of the documents; it is fast and hard to beat.",
    hurts="When the answer needs several passages that the question does not resemble.",
    params=Params,
    stages=stages,
    build=build,
    colour="#0072B2",
    order=20,
    family="once",
    ranks=lambda params: params.give != "everything",
)
