"""Queries that a model writes: is what they find better than what the question itself finds?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from core.models.embedding_vectors import cosine_matrix
from core.retrieval.fusion import fuse, unite
from core.skills.base import Skill, SkillContext
from core.skills.names import lacks_name, names_in
from core.skills.passage import PASSAGE, passages
from core.skills.reword import REWORD, SEARCH_QUERIES, variants
from core.skills.step_back import STEP_BACK, step_back
from core.skills.sub_questions import SUB_QUESTIONS, split
from core.trace.passages import Passage
from research.skills.ground import Case, Cases, Ground, Task
from research.skills.judging import question_groups, questions
from research.skills.labelled import RAGTASKS
from research.skills.measuring import Seen

SETS = ("hotpotqa_train100", "musique_train100", "2wiki_train500", "strategyqa_dev229", RAGTASKS)
N = {REWORD.key: 5, SEARCH_QUERIES.key: 4, SUB_QUESTIONS.key: 3}
"""How many a strategy asks for by default."""
FOUND = 3
"""Rank down to which a sub-question's own search must find a gold passage for it to be of use."""
TWINS = 0.985
"""Cosine from which two queries say the same in nearly the same words; the sieve has its own, which may be tuned."""
FAITHFUL = f"{N[REWORD.key]} distinct faithful"
ENOUGH = "enough usable"


def compared(question: dict[str, float], made: dict[str, float]) -> dict[str, float]:
    """The metrics of what was found, and what they gain over the question alone."""
    shown = {key: made[key] for key in ("nDCG@10", "R@5", "R@10")}
    return shown | {f"{key} gain": made[key] - question[key] for key in shown}


def distinct_faithful(question: str, written: Sequence[str], cosines: np.ndarray) -> int:
    """How many rewordings hold all names of the question and resemble neither it nor each other too much.

    Args:
        question: The user's.
        written: Its rewordings.
        cosines: Of each two of the question and the rewordings, in this order.
    """
    names = names_in(question)
    taken = [0]
    for place, text in enumerate(written, 1):
        faithful = not any(lacks_name(name, text) for name in names)
        if faithful and all(cosines[place, other] < TWINS for other in taken):
            taken.append(place)
    return len(taken) - 1


def enough(usable: int, gold: int) -> bool:
    """Whether there are as many usable sub-questions as gold passages, of which no more count than are asked for."""
    return usable >= min(N[SUB_QUESTIONS.key], gold)


async def _alone(ground: Ground, data: str, question: str, text: str) -> dict[str, float]:
    ranking = await ground.search(data, text)
    return ground.scores(data, question, [hit.passage for hit in ranking.hits])


async def _cosines(context: SkillContext, texts: Sequence[str]) -> np.ndarray:
    vectors = np.array(await context.embedder.embed_documents(list(texts)))
    return cosine_matrix(vectors, vectors)


def variant_case(skill: Skill, ground: Ground, data: str, group: str, question: str) -> Case:
    """Rewordings pooled as Multi-Query does, or search queries fused as RAG-Fusion does."""

    async def run(context: SkillContext) -> Seen:
        made = await variants(context, skill, question, n=N[skill.key], include_original=True)
        written = [query.text for query in made.queries if query.origin == "model"]
        rankings = await asyncio.gather(*(ground.search(data, query.text) for query in made.queries))
        united = unite(rankings).rows if skill is REWORD else fuse(rankings).rows
        base = await _alone(ground, data, group, question)
        values = compared(base, ground.scores(data, group, [row.passage for row in united]))
        values["kept"] = float(len(written))
        if skill is REWORD:
            values[FAITHFUL] = 0.0
        if written:
            alone = [await _alone(ground, data, group, text) for text in written]
            values["variant's nDCG@10 gain"] = (
                sum(one["nDCG@10"] for one in alone) / len(alone) - base["nDCG@10"]
            )
            cosines = await _cosines(context, [question, *written])
            values["cosine to question"] = float(cosines[0, 1:].mean())
            if skill is REWORD:
                values[FAITHFUL] = float(distinct_faithful(question, written, cosines) >= N[skill.key])
            if pairs := list(combinations(range(1, len(written) + 1), 2)):
                values["cosine to each other"] = sum(float(cosines[pair]) for pair in pairs) / len(pairs)
        return Seen(values)

    return Case(group, run)


def sub_question_case(ground: Ground, data: str, group: str, question: str) -> Case:
    """Sub-questions searched one by one, as decomposition does; the evidence is in their order."""

    async def run(context: SkillContext) -> Seen:
        made = await split(context, question, n=N[SUB_QUESTIONS.key])
        rankings = await asyncio.gather(*(ground.search(data, text) for text in made.questions))
        found: dict[str, Passage] = {}
        for ranking in rankings:
            for hit in ranking.used:
                found.setdefault(hit.passage.chunk, hit.passage)
        base = await _alone(ground, data, group, question)
        values = compared(base, ground.scores(data, group, list(found.values())))
        written = [text for text in made.questions if text != question]
        values["written"] = float(len(written))
        useful = [
            ground.scores(data, group, [hit.passage for hit in ranking.hits[:FOUND]])["Success@5"]
            for ranking in rankings
        ]
        values["usable"] = sum(useful) / len(useful)
        own = [one for text, one in zip(made.questions, useful, strict=True) if text != question]
        gold = next(one.gold for one in ground.source(data).dataset.questions if one.id == group)
        values[ENOUGH] = float(enough(int(sum(own)), len(gold)))
        return Seen(values)

    return Case(group, run)


def step_back_case(ground: Ground, data: str, group: str, question: str) -> Case:
    """The question's hits and then those of the more general one, as step-back has them."""

    async def run(context: SkillContext) -> Seen:
        made = await step_back(context, question)
        first, second = await asyncio.gather(ground.search(data, question), ground.search(data, made.general))
        found = {hit.passage.chunk: hit.passage for hit in (*first.used, *second.used)}
        base = ground.scores(data, group, [hit.passage for hit in first.hits])
        general = ground.scores(data, group, [hit.passage for hit in second.hits])
        values = compared(base, ground.scores(data, group, list(found.values())))
        values["alone: nDCG@10 gain"] = general["nDCG@10"] - base["nDCG@10"]
        values["stepped back"] = float(made.general != question)
        wanted = ground.source(data).extra[group].get("step_back")
        cosines = await _cosines(context, [question, made.general, wanted or question])
        values["cosine to question"] = float(cosines[0, 1])
        if wanted:
            values["cosine to gold"] = float(cosines[1, 2])
        return Seen(values)

    return Case(group, run)


def passage_case(ground: Ground, data: str, group: str, question: str) -> Case:
    """Searching with a hypothetical passage and the question, as HyDE does, and with the passage alone."""

    async def run(context: SkillContext) -> Seen:
        made = await passages(context, question, n=1, style="encyclopedia", with_question=True)
        retriever = await ground.retriever(data)
        base = await _alone(ground, data, group, question)
        both, alone = [
            await retriever.search_mean(question, made.texts, with_question=wanted, k=4)
            for wanted in (made.with_question, False)
        ]
        values = compared(base, ground.scores(data, group, [hit.passage for hit in both.hits]))
        only = ground.scores(data, group, [hit.passage for hit in alone.hits])
        values["alone: nDCG@10 gain"] = only["nDCG@10"] - base["nDCG@10"]
        values["written"] = float(bool(made.texts))
        return Seen(values)

    return Case(group, run)


def _each(case: Callable[[Ground, str, str, str], Case]) -> Cases:
    """One case per question."""

    async def made(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
        await ground.retriever(data)  # so that no case waits for the index
        return [case(ground, data, one.id, one.text) for one in questions(ground, data, groups)]

    return made


TASKS = (
    Task(
        "reword", REWORD, "nDCG@10 gain",
        "evidence of the question and its rewordings pooled, beside the question alone; how near they are to it and to "
        f"each other; {FAITHFUL}: share of questions with so many rewordings that hold all its names and are, to it "
        f"and to each other, below cosine {TWINS}",
        SETS, _each(partial(variant_case, REWORD)), question_groups,
    ),
    Task(
        "search-queries", SEARCH_QUERIES, "nDCG@10 gain",
        "evidence of the question and its search queries fused by RRF, beside the question alone",
        SETS, _each(partial(variant_case, SEARCH_QUERIES)), question_groups,
    ),
    Task(
        "sub-questions", SUB_QUESTIONS, "nDCG@10 gain",
        "evidence of the sub-questions, beside the question alone; usable: a gold passage is among the first "
        f"{FOUND} of a sub-question's own search; {ENOUGH}: share of questions with as many usable sub-questions as "
        f"gold passages, {N[SUB_QUESTIONS.key]} at most",
        SETS[:4], _each(sub_question_case), question_groups,
    ),
    Task(
        "step-back", STEP_BACK, "nDCG@10 gain",
        "evidence of both questions, beside the question alone; in ragtasks also nearness to a hand-written one",
        SETS, _each(step_back_case), question_groups,
    ),
    Task(
        "passage", PASSAGE, "nDCG@10 gain",
        "evidence found with the mean of question and passage, beside the question alone",
        SETS, _each(passage_case), question_groups,
    ),
)  # fmt: skip
