"""Answering again after an answer was found unsupported."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import copied_or_written, writing_methods
from core.skills.base import Method, Skill, SkillContext, task
from core.skills.copying import EXTRACTIVE
from core.skills.frame import framed_passages
from core.trace.artefacts import Answer
from core.trace.passages import Passage

ANSWER_AGAIN = Skill.of(
    "answer_again",
    "Answer again, told what was unsupported",
    *writing_methods(
        "The model writes another answer",
        "One call; at temperature 0 the same prompt would give the same text, so the model is shown its draft "
        "and what the passages do not support in it.",
        slots=("question", "context", "draft", "unsupported"),
    ),
    Method(
        EXTRACTIVE,
        "The next best sentence",
        "No model call: the sentence that fits the question best of those that were not copied before.",
    ),
    builtin=EXTRACTIVE,
)


@task(ANSWER_AGAIN)
async def answer_again(
    context: SkillContext,
    question: str,
    passages: Sequence[Passage],
    drafts: Sequence[Answer],
    unsupported: str,
) -> Answer:
    """Another answer from the same passages.

    Args:
        passages: Evidence, cited by number from 1; at least one.
        drafts: What was written from it so far, in order; at least one.
    """
    return await copied_or_written(
        context,
        ANSWER_AGAIN,
        question,
        passages,
        without={citation.quote for draft in drafts for citation in draft.citations},
        context=framed_passages(passages),
        draft=drafts[-1].text,
        unsupported=unsupported or "The grader did not say which statement.",
    )
