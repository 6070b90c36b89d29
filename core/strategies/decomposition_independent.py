"""Decomposition (independent): sub-questions answered at the same time, then put together.

Part 7 of "RAG from Scratch", "answer individually".
"""

from __future__ import annotations

from core.skills.answer_sub import ANSWER_SUB
from core.skills.references import spelled_out
from core.skills.resolve import Resolved
from core.skills.sub_questions import SUB_QUESTIONS
from core.skills.synthesise import SYNTHESISE, synthesise
from core.strategies.base import Graph, NodeRuntime, Stage, Strategy, Update
from core.strategies.links import (
    LinkState,
    SplittingParams,
    answer_link,
    answers_of,
    evidence_of,
    gather,
    split_question,
)
from core.strategies.nodes import Branch, chain, node, reported, reranking
from core.trace.events import emit_artefact


class Params(SplittingParams):
    """How many sub-questions, and how much each brings in."""


class Part(Branch, total=False):
    """Adds what is searched for in place of a sub-question with a mark such as “#1”."""

    searched: str
    note: str


def per_sub_question(state: LinkState) -> list[Branch]:
    """One branch for each sub-question."""
    questions = state["sub_questions"].questions
    return [
        Part(index=index, label=text, searched=whole.text, note=whole.note)
        for index, (text, whole) in enumerate(zip(questions, spelled_out(questions), strict=True))
    ]


@node("answer_sub", "Answer, all at once", branches=per_sub_question)
async def answer_sub(branch: Part, runtime: NodeRuntime[Params]) -> Update:
    """Each sub-question is searched and answered by itself, all at the same time: none knows the others."""
    index, question = branch["index"], branch["label"]
    # Checkpoints of earlier runs have branches without these two.
    resolved = Resolved(branch.get("searched", question), "", branch.get("note", ""))
    sub_answer, hits = await answer_link(runtime.context, index, question, resolved, [])
    emit_artefact(runtime.context.tracer, sub_answer)
    return {"sub_answers": [(index, sub_answer)], "hits": [(index, hits)]}


@node("answer", "Put together")
async def answer(state: LinkState, runtime: NodeRuntime[Params]) -> Update:
    """The sub-answers are put together into one answer."""
    answers = answers_of(state)
    result = await synthesise(runtime.context.skills, state["question"], answers, evidence_of(state))
    return reported(runtime.context, answer=result)


def build(params: Params) -> Graph:
    """sub_questions → answer_sub, once per sub-question → gather → answer."""
    return chain(LinkState, split_question, answer_sub, gather, answer)


STRATEGY = Strategy(
    key="decomposition-independent",
    title="Decomposition (independent)",
    idea="Split the question, answer the parts at the same time and by themselves, then put the answers together.",
    paper='"RAG from Scratch" part 7, "answer individually"',
    helps="When the parts do not need each other, as in a comparison of two things.",
    hurts="When one part needs the answer to another: it is searched and answered without it.",
    params=Params,
    stages=lambda params: (
        Stage(SUB_QUESTIONS.key),
        *reranking(params, params.n),
        Stage(ANSWER_SUB.key, params.n),
        Stage(SYNTHESISE.key),
    ),
    build=build,
    colour="#D55E00",
    beside=True,
    order=60,
    picture="sub_questions",
    family="split",
    asks_first=True,
    appends=True,
)
