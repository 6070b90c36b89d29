"""Decomposition (sequential): sub-questions answered round by round, each knowing the earlier answers.

Part 7 of "RAG from Scratch", "answer recursively".
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.skills.sub_questions import SUB_QUESTIONS
from core.skills.synthesise import SYNTHESISE, as_run_answer, synthesise
from core.strategies.base import Graph, NodeRuntime, Stage, Strategy, Update
from core.strategies.links import SplittingParams, answers_of, evidence_of, split_question
from core.strategies.nodes import node, reported
from core.strategies.rounds import ChainParams, ChainState, in_rounds, link_stages


class Params(SplittingParams, ChainParams):
    """How many sub-questions, whether they are made searchable first, and what ends the chain."""

    final: Literal["synthesis", "last sub-answer"] = Field(
        "synthesis",
        title="The answer is",
        description="A synthesis of all sub-answers for the question that was asked, or just the last sub-answer, as "
        "in the tutorial: it answers the last sub-question, which may be another question.",
    )


@node("answer", "Answer")
async def answer(state: ChainState, runtime: NodeRuntime[Params]) -> Update:
    """The question itself is answered, from the sub-questions and their answers."""
    context = runtime.context
    answers, passages = answers_of(state), evidence_of(state)
    if context.params.final == "synthesis":
        result = await synthesise(context.skills, state["question"], answers, passages)
    else:
        result = as_run_answer(answers[-1], passages)
        note = (
            f"This answers the last sub-question, “{answers[-1].question}”, not the question that was asked."
        )
        if answers[-1].question != state["question"]:
            result = result.model_copy(update={"note": f"{note} {result.note}".strip()})
    return reported(context, answer=result)


def stages(params: Params) -> tuple[Stage, ...]:
    """A round per sub-question, where each needs the one before; one more before each that points at something which
    code cannot fill in, and two for each that is searched again."""
    ending = Stage(SYNTHESISE.key, 1 if params.final == "synthesis" else 0)
    return Stage(SUB_QUESTIONS.key), *link_stages(params, params.n), ending


def build(params: Params) -> Graph:
    """sub_questions → answer_sub, round by round → answer."""
    return in_rounds(split_question, answer)


STRATEGY = Strategy(
    key="decomposition-sequential",
    title="Decomposition (sequential)",
    idea="Split the question, answer each part once the answers that it needs are known, then put them together.",
    paper='"RAG from Scratch" part 7, "answer recursively"',
    helps="When one fact leads to the next: the director first, then where the director was born.",
    hurts="When an early answer is wrong: what builds on it is wrong, too. Parts that need earlier answers wait.",
    params=Params,
    stages=stages,
    build=build,
    colour="#56B4E9",
    order=50,
    picture="sub_questions",
    family="split",
    asks_first=True,
    appends=True,
)
