"""Cases of decisions: the way of a question, the need of a search, the order of passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.corpora.demo import WORLD
from core.evaluation.datasets import DataSet, read_folder, sample
from core.evaluation.ranking_scores import ranking_scores
from core.skills.base import SkillContext
from core.skills.decide_retrieval import DECIDE_RETRIEVAL, decide_retrieval
from core.skills.rerank import RERANK, rerank
from core.skills.route import KEPT_OUT, ROUTE, examples, route
from core.trace.artefacts import Ranking
from core.trace.passages import Hit
from research.routing import CLOSED, WORLD_NAME, labelled
from research.skills.ground import Case, Ground, Task
from research.skills.judging import question_groups, questions, seen
from research.skills.measuring import Seen

VOTES = 5
RERANKED = 8
"""Passages that are put in order: about as many as a run gives."""


def _world() -> DataSet:
    return read_folder(WORLD)


def groups(ground: Ground, data: str) -> Sequence[str]:
    """The questions of the demo world, or the places of those that need no document."""
    if data == CLOSED:
        return [f"{place:02}" for place in range(len(examples(KEPT_OUT)))]
    return [one.id for one in _world().questions]


async def route_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Questions with the cheapest way that finds all their evidence, see `research.routing`."""
    documents, by_id = await labelled(ground, sample(_world(), len(_world().questions), 0))
    if data == CLOSED:
        by_id = {f"{at:02}": (one.question, one.way) for at, one in enumerate(examples(KEPT_OUT))}

    def case(group: str) -> Case:
        question, way = by_id[group]

        async def run(context: SkillContext) -> Seen:
            chosen = (await route(context, question, documents, VOTES)).way
            return Seen({"right": float(chosen == way), "searches": float(chosen != "no-search")})

        return Case(group, run)

    return [case(group) for group in groups]


async def need_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Questions about a world that does not exist need its documents; others need none."""
    texts = {one.id: one.text for one in _world().questions}
    if data == CLOSED:
        texts = {f"{at:02}": one.question for at, one in enumerate(examples(KEPT_OUT))}

    def case(group: str) -> Case:
        async def run(context: SkillContext) -> Seen:
            return seen(await decide_retrieval(context, texts[group]), data != CLOSED)

        return Case(group, run)

    return [case(group) for group in groups]


async def rerank_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """The first documents by BM25, of which one at least holds evidence, in another order."""
    found = ground.source(data)
    made: list[Case] = []
    for one in questions(ground, data, groups):
        ranked = found.keywords.rank(one.text, RERANKED)
        hits = tuple(
            Hit(rank=rank, score=score, passage=passage) for rank, (passage, score) in enumerate(ranked, 1)
        )
        ranking = Ranking(query=one.text, retriever="keyword", score_name="BM25", k=RERANKED, hits=hits)
        if any(hit.passage.document in one.gold for hit in hits):
            made.append(_rerank(one.id, ranking, one.gold))
    return made


def _rerank(group: str, ranking: Ranking, gold: Mapping[str, int]) -> Case:
    def score(found: Ranking) -> float:
        order = {group: [hit.passage.document for hit in found.hits]}
        return ranking_scores(order, {group: gold})[group]["nDCG@10"]

    async def run(context: SkillContext) -> Seen:
        after = score(await rerank(context, ranking.query, ranking))
        return Seen({"nDCG@10 gain": after - score(ranking), "nDCG@10": after})

    return Case(group, run)


TASKS = (
    Task(
        "decide-retrieval", DECIDE_RETRIEVAL, "right",
        "right: questions about the demo world are searched for, those that need no document are not",
        (WORLD_NAME, CLOSED), need_cases, groups,
    ),
    Task(
        "route", ROUTE, "right",
        "right: the cheapest way that finds all evidence by plain hybrid retrieval of 6 passages",
        (WORLD_NAME, CLOSED), route_cases, groups,
    ),
    Task(
        "rerank", RERANK, "nDCG@10 gain",
        f"evidence among the first {RERANKED} documents by BM25, put in order, beside BM25's own order",
        ("hotpotqa_train100",), rerank_cases, question_groups,
    ),
)  # fmt: skip
