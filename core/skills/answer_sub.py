"""Answering one sub-question from its passages and from what was answered before it."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import writing_methods, written
from core.skills.base import OWN, Skill, SkillContext, task
from core.skills.copying import EXTRACTIVE, NOTHING_RETRIEVED, extract, extractive_method, no_answer
from core.skills.frame import framed_pairs, framed_passages
from core.trace.artefacts import Answer, Pair
from core.trace.passages import Passage

ANSWER_SUB = Skill.of(
    "answer_sub",
    "Answer a sub-question",
    *writing_methods(
        "The model writes the answer",
        "One call; the model reads the numbered passages, and the earlier questions with their answers where the "
        "strategy passes them on.",
        slots=("question", "pairs", "context"),
    ),
    extractive_method(ending="It cannot use the earlier answers."),
    builtin=EXTRACTIVE,
)


@task(ANSWER_SUB)
async def answer_sub(
    context: SkillContext,
    question: str,
    passages: Sequence[Passage],
    pairs: Sequence[Pair] = (),
    *,
    show: bool = False,
) -> Answer:
    """An answer that is not yet the run's, citing the passages by their number from 1.

    Args:
        pairs: Earlier questions and answers, in order.
        show: True if it streams to where the run's answer appears.
    """
    method = context.method(ANSWER_SUB)
    if not passages and (method == EXTRACTIVE or not pairs):
        result = no_answer("Nothing was found for this question.", ANSWER_SUB.key, method, NOTHING_RETRIEVED)
    elif method == EXTRACTIVE:
        result = await extract(context, question, passages, skill=ANSWER_SUB.key)
    else:
        result = await written(
            context,
            ANSWER_SUB,
            passages,
            show=show,
            max_tokens=500,
            question=question,
            pairs=framed_pairs(pairs),
            context=framed_passages(passages),
        )
    note = result.note
    if method in OWN and pairs and not result.citations and note.startswith("The model cited no"):
        note = "The model cited no passage: this rests on the earlier answers, or on nothing."
    return result.model_copy(update={"final": False, "note": note})
