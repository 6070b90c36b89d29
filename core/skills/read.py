"""Reading: reason over all paragraphs that were gathered, then answer (the separate reader of IRCoT)."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import copied_or_written, writing_methods
from core.skills.base import MODEL, Skill, SkillContext, task
from core.skills.copying import EXTRACTIVE, extractive_method
from core.skills.frame import framed_passages
from core.trace.artefacts import Answer
from core.trace.passages import Passage

READ = Skill.of(
    "read",
    "Read all paragraphs and answer",
    *writing_methods(
        "The model reasons, then answers",
        "One call with all paragraphs and the question; the thoughts of the search are not shown to it, so "
        "that their mistakes are not taken over.",
        slots=("question", "context"),
    ),
    extractive_method("No model call, and no reasoning:", ""),
    builtin=EXTRACTIVE,
)


@task(READ)
async def read(context: SkillContext, question: str, passages: Sequence[Passage]) -> Answer:
    """An answer from all paragraphs, reasoned from scratch, citing them by their number from 1."""
    # By short rules the answer stands first: small models that reason first refuse.
    last = context.method(READ) == MODEL
    shown = framed_passages(passages)
    return await copied_or_written(
        context, READ, question, passages, max_tokens=900, last=last, context=shown
    )
