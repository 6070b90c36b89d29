"""Reason-in-Documents: what passages hold for a search is read into the reasoning, and not the passages themselves.

Li et al. 2025, arXiv 2501.05366, section 3.4: a call of its own, so that long passages do not break the reasoning.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import written
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.copying import NOTHING_RETRIEVED, no_answer
from core.skills.frame import Framed, framed_line, framed_passages
from core.trace.artefacts import Answer
from core.trace.passages import Passage

READ_INTO_CHAIN = Skill.of(
    "read_into_chain",
    "Read what was found",
    Method(
        MODEL,
        "The model reads",
        "One call per search: the model reads its passages with the reasoning so far, and writes down only what "
        "helps it on.",
        slots=("question", "reasoning", "query", "context"),
    ),
    builtin="",
)


@task(READ_INTO_CHAIN)
async def read_into_chain(
    context: SkillContext, question: str, so_far: Framed, query: str, passages: Sequence[Passage]
) -> Answer:
    """Write down all that the passages, best first, hold for a search, citing them by number from 1; it abstains if
    that is nothing."""
    method = context.method(READ_INTO_CHAIN)
    if not passages:
        return no_answer("The search found no passage.", READ_INTO_CHAIN.key, method, NOTHING_RETRIEVED)
    return await written(
        context,
        READ_INTO_CHAIN,
        passages,
        show=False,
        max_tokens=500,
        question=question,
        reasoning=so_far,
        query=framed_line(query),
        context=framed_passages(passages),
    )
