"""Linked passages: from the first hits on along the titles that they mention, by personalised PageRank.

After HippoRAG (Gutiérrez et al. 2024, 2025), which walks over a graph that a model builds, from the names in the
question; see `core.retrieval.linked` for what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from pydantic import Field

from core.corpora.sentence_spans import sentence_at
from core.retrieval.kinds import Walking
from core.retrieval.repeats import without_repeats
from core.skills.answer import ANSWER
from core.strategies.base import Graph, NodeRuntime, OneSearchParams, RagState, Stage, Strategy, Update
from core.strategies.nodes import answer, best_first, chain, given_first, node, reported, reranking, search
from core.trace.artefacts import EVAL_CUTOFF, MentionLink, Ranking, Walk, WalkedPassage

if TYPE_CHECKING:
    from core.retrieval.linked import WalkResult


USUAL = Walking()
DIGITS = 6
"""Of numbers that are kept."""


class Params(OneSearchParams):
    """Where the walk begins and ends, and how much the cosine counts beside it."""

    seeds: int = Field(
        USUAL.seeds,
        ge=1,
        le=20,
        title="First hits",
        description="At how many of the first hits the walk begins; the first hit has the largest chance.",
    )
    restart: float = Field(
        USUAL.restart,
        ge=0.05,
        le=1,
        title="Restart probability",
        description="The chance to stop at a passage instead of following one of its mentions. At 1 nobody walks.",
    )
    weight: float = Field(
        USUAL.weight,
        ge=0,
        le=5,
        title="Weight of the cosine",
        description="How much similarity to the question counts beside the walk. At 0 the walk alone decides.",
    )


class State(RagState, total=False):
    """Adds what the search found, and the walk from there."""

    found: Ranking
    walk: Walk


@node("retrieve", "Retrieve")
async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """One search with the question as it was asked."""
    context = runtime.context
    return {"found": await search(context, state["question"])}


@node("walk", "Walk along mentions")
async def walk(state: State, runtime: NodeRuntime[Params]) -> Update:
    """From the first hits on to the passages that they mention by title, and that mention them."""
    from core.retrieval.linked import WalkResult

    context, question, hits = runtime.context, state["question"], state["found"]
    params = context.params
    how = Walking(params.seeds, params.restart, params.weight)
    walked = await context.retriever.walk(hits, await context.retriever.vector(question), how)
    if not isinstance(walked, WalkResult):
        artefact = Walk(query=question, seeds=how.seeds, restart=how.restart, weight=how.weight, note=walked)
        return reported(context, walk=artefact, context=best_first(hits.places, params.k))
    best = walked.order[: max(params.k, EVAL_CUTOFF)]
    artefact = walk_artefact(question, walked, how, len(best))
    ranked = without_repeats((walked.links.passages[reached.place], reached.score) for reached in best)
    return reported(context, walk=artefact, context=given_first(ranked, params.k))


def walk_artefact(query: str, walked: WalkResult, how: Walking, count: int) -> Walk:
    """A walk as an artefact: the `count` best passages are kept, and those on the way to them."""
    from core.retrieval.linked import way

    ways = {
        reached.place: way(walked.links, walked.visited, reached.place) for reached in walked.order[:count]
    }
    places = {*ways, *(place for path in ways.values() for place in path)}
    via = {after: before for path in ways.values() for before, after in pairwise(path)}
    passages = walked.links.passages
    return Walk(
        query=query,
        seeds=how.seeds,
        restart=how.restart,
        weight=how.weight,
        reached=int((walked.visited.sum(axis=0) > 0).sum()),
        passages=tuple(
            WalkedPassage(
                rank=rank,
                passage=passages[reached.place],
                visits=tuple(round(chance, DIGITS) for chance in walked.visited[:, reached.place].tolist()),
                chance=round(reached.chance, DIGITS),
                cosine=round(reached.cosine, DIGITS),
                score=reached.score,
                via=passages[via[reached.place]].chunk if reached.place in via else "",
            )
            for rank, reached in enumerate(walked.order, 1)
            if reached.place in places
        ),
        links=tuple(_links(walked, sorted(places))),
    )


def _links(walked: WalkResult, places: Sequence[int]) -> Iterator[MentionLink]:
    """The links between some passages, each with the first mention that makes it."""
    links = walked.links
    shares = {place: links.shares(place) for place in places}
    for first, other in combinations(places, 2):
        mention = next(links.mentions(first, other), None) if shares[first][other] else None
        if mention is None:
            continue
        source, target = (first, other) if mention.source == first else (other, first)
        text = links.passages[source].text
        yield MentionLink(
            source=links.passages[source].chunk,
            target=links.passages[target].chunk,
            name=mention.entity or text[mention.start : mention.end],
            entity=bool(mention.entity),
            sentence=sentence_at(text, mention.start),
            onward=round(float(shares[target][source]), DIGITS),
            back=round(float(shares[source][target]), DIGITS),
        )


def build(params: Params) -> Graph:
    """retrieve → walk → answer."""
    return chain(State, retrieve, walk, answer)


STRATEGY = Strategy(
    key="linked-passages",
    title="Linked passages",
    idea="Search once, then read on from the first hits: to what they mention by name, and to what mentions them.",
    paper="Gutiérrez et al. 2024, HippoRAG, arXiv 2405.14831, and 2025, From RAG to Memory, arXiv 2502.14802",
    helps="When the answer takes several passages that name one another: no model has to find the way.",
    hurts="When documents do not mention one another by their titles: then it finds only what the search found.",
    params=Params,
    stages=lambda params: (*reranking(params), Stage(ANSWER.key)),
    build=build,
    colour="#3C7D22",
    order=115,
    picture="walk",
    family="think",
    retriever="hybrid",
)
