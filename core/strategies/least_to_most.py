"""Least-to-most: questions from easy to hard, the last being the one that was asked.

Zhou et al., "Least-to-Most Prompting Enables Complex Reasoning in Large Language Models", arXiv 2205.10625.
It differs from sequential decomposition in the order, from easy to hard, and in the ending: the last answer is the
answer, so nothing has to be put together.
"""

from __future__ import annotations

from pydantic import Field

from core.skills.sub_questions import REDUCE, reduce
from core.skills.synthesise import as_run_answer
from core.strategies.base import Graph, NodeRuntime, Stage, Strategy, Update
from core.strategies.links import answers_of, evidence_of
from core.strategies.nodes import node, reported
from core.strategies.rounds import ChainParams, ChainState, in_rounds, link_stages


class Params(ChainParams):
    """How many questions lead to the answer."""

    n: int = Field(
        5, ge=2, le=6, title="Questions", description="How many questions at most, the asked one included."
    )


@node("reduce", "Reduce, easy to hard")
async def reduce_question(state: ChainState, runtime: NodeRuntime[Params]) -> Update:
    """What must be known first? The parts are put in order, from easy to hard."""
    steps = await reduce(runtime.context.skills, state["question"], n=runtime.context.params.n)
    return reported(runtime.context, sub_questions=steps)


@node("answer", "Last answer")
async def answer(state: ChainState, runtime: NodeRuntime[Params]) -> Update:
    """The last sub-question is the one that was asked, so its answer is the answer."""
    last = as_run_answer(answers_of(state)[-1], evidence_of(state))
    return reported(runtime.context, answer=last)


def stages(params: Params) -> tuple[Stage, ...]:
    """A round per question, where each needs the one before; one more before the last, and before each that points at
    something which code cannot fill in; and two for each that is searched again."""
    return Stage(REDUCE.key), *link_stages(params, params.n, last_resolved=True)


def build(params: Params) -> Graph:
    """reduce → answer_sub, round by round → answer."""
    return in_rounds(reduce_question, answer)


STRATEGY = Strategy(
    key="least-to-most",
    title="Least-to-most",
    idea="Ask what must be known first, from easy to hard, and solve up to the question itself.",
    paper="Zhou et al. 2022, Least-to-Most Prompting, arXiv 2205.10625",
    helps="When the hard question becomes easy once the easier ones before it are answered.",
    hurts="When an early answer is wrong or missing: the last question is searched with what is known by then.",
    params=Params,
    stages=stages,
    build=build,
    colour="#CC79A7",
    order=70,
    picture="sub_questions",
    family="split",
    asks_first=True,
    appends=True,
)
