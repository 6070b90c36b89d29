"""Is the path through the graph enough to answer, on the right track, or wrong? (Chain of Explorations)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator

from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import NOTHING
from core.skills.grading import Reason, ask_grader, plain_word
from core.skills.graph_wording import names_line, triple_line
from core.trace.artefacts import PathTriple, Plan
from core.wording import counted

Verdict = Literal["continue", "respond", "refine"]
NOT_ASKED = "A rule says so; no model was asked."
"""The note of a verdict where there was nothing to decide."""


class PathVerdict(BaseModel):
    """The form of the reply: how to go on, with a reason."""

    reason: Reason = ""
    verdict: Annotated[Verdict, BeforeValidator(plain_word)]


JUDGE_PATH = Skill.of(
    "judge_path",
    "Judge the path",
    Method(
        MODEL,
        "The model judges",
        "One call after each step that followed relations: continue, respond, or refine the plan, with a reason. A "
        "dead end is refined, and chosen nodes are followed, without a call.",
        slots=("question", "path"),
    ),
    Method(
        "embedding",
        "All hops, then the best chain",
        "No model call: it explores as far as the plan goes, and then takes the chain with the best score of all "
        "lengths. It never asks for another plan.",
    ),
    builtin="embedding",
)


class Judgement(NamedTuple):
    """The next thing to do, and why."""

    verdict: Verdict
    reason: str
    note: str = ""


@dataclass(frozen=True)
class Walked:
    """The path that is judged."""

    plan: Plan
    at: int
    """Number of steps of the plan that are done."""
    left: int
    """Number of steps of the plan that can still be taken."""
    starts: Sequence[str] = ()
    """Names of the nodes that were chosen to start from."""
    chose: Sequence[str] = ()
    """What the last step chose, in words."""
    triples: Sequence[PathTriple] = ()
    """The triples that were followed, or the first of them."""
    hidden: int = 0
    """Number of further triples."""
    nodes: Sequence[str] = ()
    """Names of the nodes that the last step led to."""
    more: int = 0
    """Number of further nodes."""


@task(JUDGE_PATH)
async def judge_path(context: SkillContext, question: str, walked: Walked, *, reason: str = "") -> Judgement:
    """Judge how to go on after a step; `reason` is that of the method without a model."""
    method, left = context.method(JUDGE_PATH), walked.left
    cautious: Verdict = "continue" if left else "respond"
    if method == "embedding":
        return Judgement(cautious, reason)
    lines = list(dict.fromkeys(map(triple_line, walked.triples)))
    if walked.hidden:
        lines.append(f"({walked.hidden} more triples are not shown)")
    reply = await ask_grader(
        context,
        JUDGE_PATH,
        method,
        PathVerdict,
        question=question,
        plan=_plan_lines(walked),
        left=_left_line(walked),
        start=names_line(walked.starts),
        chose="\n".join(walked.chose) or NOTHING,
        path="\n".join(lines) or NOTHING,
        nodes=names_line(walked.nodes, walked.more),
    )
    if reply.verdict == "continue" and not left:
        return Judgement("respond", reply.reason, "The plan has no step left, so its path is answered from.")
    return Judgement(reply.verdict, reply.reason)


def _plan_lines(walked: Walked) -> str:
    """The plan with how far it is done."""
    lines = []
    for number, step in enumerate(walked.plan.steps, 1):
        later = "next" if number == walked.at + 1 else "later"
        state = "done" if number <= walked.at else later if walked.left else "not possible: too many hops"
        lines.append(f"{number}. ({state}) {step.explore}: {step.text}")
    return "\n".join(lines)


def _left_line(walked: Walked) -> str:
    done = f"{walked.at} of {len(walked.plan.steps)} steps are done"
    if not walked.left:
        return f"{done}, and none is left: choose “respond” or “refine”."
    return f"{done}, and {counted(walked.left, 'step is', 'steps are')} left."
