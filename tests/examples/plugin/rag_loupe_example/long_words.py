"""Long words: search with the long words of the question alone."""

from __future__ import annotations

from pydantic import Field

from core.skills.answer import ANSWER
from core.strategies.base import Graph, NodeRuntime, OneSearchParams, RagState, Stage, Strategy, Update
from core.strategies.nodes import answer, chain, given_first, node, reported, reranking, search
from core.trace.events import emit_artefact
from rag_loupe_example.artefact import WordChoice


class Params(OneSearchParams):
    """Which words are long."""

    letters: int = Field(5, ge=1, le=20, title="Letters", description="Shorter words are left out.")


@node("choose", "Choose and search")
async def choose(state: RagState, runtime: NodeRuntime[Params]) -> Update:
    """Short words are left out of the question, and the others are searched with."""
    context = runtime.context
    words = state["question"].strip("?").split()
    long = [word for word in words if len(word) >= context.params.letters] or words
    emit_artefact(context.tracer, WordChoice(words=tuple(long), left_out=tuple(set(words) - set(long))))
    ranking = await search(context, " ".join(long))
    evidence = given_first(((hit.passage, hit.score) for hit in ranking.places), context.params.k)
    return reported(context, context=evidence)


def build(params: Params) -> Graph:
    """choose → answer."""
    return chain(RagState, choose, answer)


STRATEGY = Strategy(
    key="long-words",
    title="Long words",
    idea="Search with the long words of the question alone.",
    paper="None: an example",
    helps="To show what a package of one's own looks like.",
    hurts="Every question whose short words matter.",
    params=Params,
    stages=lambda params: (*reranking(params), Stage(ANSWER.key)),
    build=build,
    colour="#CC79A7",
    order=901,
    family="several",
)
