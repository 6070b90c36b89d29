"""Answering from two contexts: the passages of the question and those of the more general question behind it."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import copied_or_written, writing_methods
from core.skills.base import Skill, SkillContext, task
from core.skills.copying import EXTRACTIVE, extractive_method
from core.skills.frame import Framed, framed_passages
from core.trace.artefacts import Answer
from core.trace.passages import Passage

NOTHING_NEW = "(nothing that does not stand above)"

ANSWER_STEP_BACK = Skill.of(
    "answer_step_back",
    "Answer from both contexts",
    *writing_methods(
        "The model writes the answer",
        "One call; the model reads both sets of passages, each under its own heading, numbered through, and "
        "cites them.",
        slots=("question", "context", "general", "general_context"),
    ),
    extractive_method("No model call: of both sets,", "It cannot use the background to reason."),
    builtin=EXTRACTIVE,
)


@task(ANSWER_STEP_BACK)
async def answer_step_back(
    context: SkillContext,
    question: str,
    general: str,
    specific: Sequence[Passage],
    background: Sequence[Passage],
    shared: Sequence[int] = (),
) -> Answer:
    """An answer that cites both sets of passages by one numbering: `specific` from 1, then `background`.

    Args:
        background: Passages found for the general question alone.
        shared: Numbers, from 1, of those in `specific` that the general question found as well.
    """
    also = "Found for it as well: " + ", ".join(f"passage {number}" for number in shared) + "."
    new = framed_passages(background, len(specific) + 1) if background else NOTHING_NEW
    parts = [new, also] if shared else [new]
    return await copied_or_written(
        context,
        ANSWER_STEP_BACK,
        question,
        [*specific, *background],
        context=framed_passages(specific),
        general=general,
        general_context=Framed("\n".join(parts)),
    )
