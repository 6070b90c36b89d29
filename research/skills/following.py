"""What agents ask: taking questions apart, filling in earlier answers, noticing what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.evaluation.answers import is_right
from core.models.embedding_vectors import cosine_matrix
from core.skills.base import SkillContext
from core.skills.critique import CRITIQUE, critique
from core.skills.single_questions import SPLIT_QUESTION, UPDATE_QUESTION, split_question, update_question
from core.trace.artefacts import Pair
from research.skills.ground import Case, Ground, Task
from research.skills.judging import question_groups, questions
from research.skills.labelled import RAGTASKS
from research.skills.measuring import Seen

MUSIQUE = "musique_train100"
ALIKE = 0.8
"""Cosine from which a part asks what a gold part asks."""


def _records(ground: Ground, data: str, groups: Sequence[str]) -> list[dict[str, Any]]:
    return [ground.source(data).extra[one.id] for one in questions(ground, data, groups)]


async def split_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """A question that asks for several things."""

    def case(record: dict[str, Any]) -> Case:
        async def run(context: SkillContext) -> Seen:
            made = await split_question(context, record["complex"]["question"])
            gold, parts = record["complex"]["subs"], list(made.questions)
            vectors = np.array(await context.embedder.embed_documents([*gold, *parts]))
            likeness = cosine_matrix(vectors[: len(gold)], vectors[len(gold) :])
            return Seen(
                {
                    "covered": float(np.mean(likeness.max(axis=1) >= ALIKE)),
                    "cosine to gold": float(likeness.max(axis=1).mean()),
                    "parts": float(len(parts)),
                }
            )

        return Case(record["id"], run)

    return [case(record) for record in _records(ground, data, groups)]


async def update_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Gold sub-questions that point at earlier answers, which are given as gold, too."""

    def case(group: str, text: str, before: Sequence[dict[str, str]], wanted: Sequence[str]) -> Case:
        async def run(context: SkillContext) -> Seen:
            pairs = [Pair(question=one["question"], answer=one["answer"]) for one in before]
            made = await update_question(context, text, pairs)
            complete = "#" not in made.text and all(is_right(made.text, [one]) for one in wanted)
            return Seen({"filled": float(complete)})

        return Case(group, run)

    made: list[Case] = []
    for record in _records(ground, data, groups):
        hops = record["decomposition"]
        for place, hop in enumerate(hops):
            points = [
                earlier["answer"] for at, earlier in enumerate(hops[:place], 1) if f"#{at}" in hop["question"]
            ]
            if points:
                made.append(case(record["id"], hop["question"], hops[:place], points))
    return made


async def critique_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """All parts answered, against an answer that leaves some of the question open."""

    def case(group: str, question: str, pairs: Sequence[Pair], label: bool) -> Case:
        async def run(context: SkillContext) -> Seen:
            made = await critique(context, question, pairs, [], round=1)
            return Seen({"right": float(made.complete == label)}, label, float(made.complete))

        return Case(group, run)

    made: list[Case] = []
    for record in _records(ground, data, groups):
        whole, part = record["complex"], record["partial"]
        pairs = [Pair(question=q, answer=a) for q, a in zip(whole["subs"], whole["answers"], strict=True)]
        made.append(case(record["id"], whole["question"], pairs, True))
        made.append(
            case(record["id"], part["asked"], [Pair(question=part["asked"], answer=part["known"])], False)
        )
    return made


TASKS = (
    Task(
        "split-question", SPLIT_QUESTION, "covered",
        f"covered: share of the gold parts that some part resembles (cosine from {ALIKE})",
        (RAGTASKS,), split_cases, question_groups,
    ),
    Task(
        "update-question", UPDATE_QUESTION, "filled",
        "filled: all earlier answers that the question points at are in it, and no mark is left",
        (MUSIQUE,), update_cases, question_groups,
    ),
    Task(
        "critique", CRITIQUE, "right", "right: complete answers are called complete, partial ones are not",
        (RAGTASKS,), critique_cases, question_groups,
    ),
)  # fmt: skip
