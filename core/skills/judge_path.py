"""Is the way through the graph enough to answer, on the right track, or wrong? (Chain of Explorations)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator

from core.skills.base import MODEL, Method, Skill, SkillContext
from core.skills.grading import Reason, ask_grader, plain_word
from core.trace.artefacts import PathTriple, Plan

Verdict = Literal["continue", "respond", "refine"]


class PathVerdict(BaseModel):
    """What the model is asked for."""

    verdict: Annotated[Verdict, BeforeValidator(plain_word)]
    reason: Reason = ""


JUDGE_PATH = Skill(
    "judge_path",
    "Judge the path",
    (
        Method(
            MODEL,
            "The model judges",
            "One call per step: continue, respond, or refine the plan, with a reason.",
            calls=1,
            slots=("question", "path"),
        ),
        Method(
            "embedding",
            "All hops, then the best chain",
            "No model call: it explores as far as the plan goes, and then takes the chain with the best score of all "
            "lengths. It never asks for another plan.",
            calls=0,
        ),
    ),
    builtin="embedding",
)


class Judgement(NamedTuple):
    """What is done next, and why."""

    verdict: Verdict
    reason: str
    note: str = ""


async def judge_path(
    context: SkillContext,
    question: str,
    plan: Plan,
    triples: Sequence[PathTriple],
    nodes: Sequence[str],
    *,
    left: int,
    found: str = "",
) -> Judgement:
    """What to do after a step; an unusable reply means to go on with the plan.

    Args:
        context: What the skill works with.
        question: What is to be answered.
        plan: What is being done.
        triples: The way so far.
        nodes: Names of the nodes it has led to.
        left: Steps of the plan that are left.
        found: What the method without a model gives as its reason.

    Raises:
        ModelError: The endpoint failed.
    """
    method = context.method(JUDGE_PATH)
    cautious: Verdict = "continue" if left else "respond"
    if method == "embedding":
        return Judgement(cautious, found)
    reply = await ask_grader(
        context,
        JUDGE_PATH,
        method,
        PathVerdict,
        question=question,
        plan="\n".join(f"{i}. {step.explore}: {step.text}" for i, step in enumerate(plan.steps, 1)),
        path="\n".join(map(told, triples)) or "(none yet)",
        nodes=", ".join(nodes) or "(none)",
    )
    if reply is None:
        note = f"The verdict could not be read, even at the second try; “{cautious}” is the cautious one."
        return Judgement(cautious, "", note)
    if reply.verdict == "continue" and not left:
        return Judgement("respond", reply.reason, "The plan has no step left, so its path is answered from.")
    return Judgement(reply.verdict, reply.reason)


def told(triple: PathTriple) -> str:
    """A triple in one line."""
    return f"({triple.subject}) -[{triple.relation}]-> ({triple.object})"
