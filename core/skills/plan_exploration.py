"""The plan by which a knowledge graph is explored (Chain of Explorations, Sanmartin 2024)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import NOTHING
from core.skills.grading import plain_word
from core.skills.graph_wording import names_line, triple_line
from core.trace.artefacts import PathTriple, Plan, PlanStep

MOST_STEPS = 6
MAX_TEXT = 300
SHOWN_RELATIONS = 40


def _cut(value: Any) -> Any:
    return value.strip()[:MAX_TEXT] if isinstance(value, str) else value


class Step(BaseModel):
    """A step, as the model is asked for it."""

    explore: Annotated[Literal["nodes", "relationships"], BeforeValidator(plain_word)]
    text: Annotated[str, BeforeValidator(_cut), Field(min_length=1, max_length=MAX_TEXT)]


class Steps(BaseModel):
    """The form of the reply: the steps of a plan."""

    steps: list[Step] = Field(min_length=1, max_length=20)


PLAN_EXPLORATION = Skill.of(
    "plan_exploration",
    "Plan the exploration",
    Method(
        MODEL,
        "The model plans",
        "One call per plan: which nodes and which relationships to look for, step by step.",
        slots=("question", "relations", "failed"),
    ),
    Method(
        "template",
        "Always the same plan",
        "No model call: find what the question names, then follow relations, hop by hop. It has no idea which "
        "relations are wanted, and cannot think of another plan.",
    ),
    builtin="template",
)


@task(PLAN_EXPLORATION)
async def plan_exploration(
    context: SkillContext,
    question: str,
    relations: Sequence[str],
    *,
    hops: int,
    failed: Plan | None = None,
    reason: str = "",
    keep: Sequence[PlanStep] = (),
    triples: Sequence[PathTriple] = (),
) -> Plan:
    """A plan for a question.

    Args:
        relations: Names of the graph's relations, the most frequent first.
        hops: How many relations the method without a model follows.
        failed: The plan that was given up; None: it is the first.
        keep: Its steps that stay as they are, since the path so far is kept.
    """
    method = context.method(PLAN_EXPLORATION)
    note = ""
    if method == MODEL:
        reply = await context.structured(
            PLAN_EXPLORATION,
            method,
            Steps,
            Sampling(temperature=0.0, max_tokens=600),
            question=question,
            relations=names_line(relations[:SHOWN_RELATIONS]),
            failed=_failed_plan(failed, reason, keep, triples),
        )
        steps = tuple(PlanStep(explore=step.explore, text=step.text) for step in reply.steps)
    else:
        steps = fixed_plan(question, hops)[1 if keep else 0 :]
    steps = (*keep, *steps)
    if len(steps) > MOST_STEPS:
        note = f"{note} A plan may have {MOST_STEPS} steps; the others were cut off.".strip()
    elif failed is not None and steps == failed.steps:
        note = f"{note} It is the same plan again.".strip()
    return Plan(
        steps=steps[:MOST_STEPS],
        attempt=failed.attempt + 1 if failed else 1,
        cause=reason,
        skill=PLAN_EXPLORATION.key,
        method=method,
        note=note,
    )


def fixed_plan(question: str, hops: int) -> tuple[PlanStep, ...]:
    """A plan that starts at the nodes that the question names and then follows `hops` relations."""
    first = PlanStep(explore="nodes", text=question)
    return (first, *(PlanStep(explore="relationships", text=question) for _ in range(hops)))


def _failed_plan(
    failed: Plan | None, reason: str, keep: Sequence[PlanStep], triples: Sequence[PathTriple]
) -> str:
    """The plan that was given up, in words for the model."""
    if failed is None:
        return NOTHING
    lines = [f"{number}. {step.explore}: {step.text}" for number, step in enumerate(failed.steps, 1)]
    lines_for_model = ["An earlier plan did not work:", *lines]
    lines_for_model += [f"Reason: {reason}"] if reason else []
    lines_for_model += ["It found:", *dict.fromkeys(map(triple_line, triples))] if triples else []
    lines_for_model.append(
        f"Its first {len(keep)} steps are done and stay. Plan only the steps that follow them, differently."
        if keep
        else "Make another plan; what was found is known, but the plan must reach it again."
    )
    return "\n".join(lines_for_model) + "\n"
