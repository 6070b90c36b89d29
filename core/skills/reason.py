"""The next piece of a reasoning that may search: a thought, then searches for what is missing, or the answer.

Search-o1 (Li et al. 2025, arXiv 2501.05366) lets a reasoning model write marks round a query, halts it there, and lets
it write on behind what was found. Chat endpoints do not halt at marks alike, so here each piece is a reply of its own.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import Framed
from core.skills.variants import letters, usable

MOST_SEARCHES = 6
"""Searches that one thought may ask for; more are left out."""
LEFT = "Searches left: {}. Write the next piece of the reasoning: a thought, and then either searches or the answer."
NONE_LEFT = (
    "No search is left. Write the last piece of the reasoning: a thought, and the answer from what was found."
)


def _text(value: Any) -> Any:
    return "" if value is None else value


def _queries(value: Any) -> Any:
    """The searches as models write them: none, one alone, or a list with blanks and copies."""
    listed = [value] if isinstance(value, str) else value or []
    if not isinstance(listed, list) or not all(isinstance(query, str) for query in listed):
        return value
    queries: dict[str, str] = {}
    for query in usable(listed):
        queries.setdefault(letters(query), query)
    return list(queries.values())[:MOST_SEARCHES]


class NextThought(BaseModel):
    """The form of the reply: a thought, and then searches or the answer."""

    thought: Annotated[str, BeforeValidator(_text)] = ""
    searches: Annotated[list[str], BeforeValidator(_queries)] = []
    answer: Annotated[str, BeforeValidator(_text)] = ""


REASON = Skill.of(
    "reason",
    "Think on",
    Method(
        MODEL,
        "The model reasons",
        "One call per thought: the model sees all that was thought and found so far, and either asks for searches "
        "or answers.",
        slots=("question", "reasoning", "left"),
    ),
    builtin="",
)


@task(REASON)
async def reason(context: SkillContext, question: str, so_far: Framed, left: int) -> NextThought:
    """The next piece; where no search is `left`, it has to answer.

    Raises:
        UnusableReply: The model gave nothing of the form asked for; there is no other way.
        ModelError: The endpoint failed.
        CallLimitReached: The run has no calls left.
    """
    return await context.structured(
        REASON,
        context.method(REASON),
        NextThought,
        Sampling(temperature=0.0, max_tokens=1200),
        question=question,
        reasoning=so_far,
        left=Framed(LEFT.format(left) if left else NONE_LEFT),
        language=context.searched_language,
    )
