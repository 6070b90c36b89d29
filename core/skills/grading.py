"""What all graders share: a verdict out of a short list, a reason, and what counts where neither can be had."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field

from core.models.capabilities import Sampling
from core.skills.base import Skill, SkillContext
from core.skills.frame import standing
from core.trace.artefacts import Answer

MAX_REASON = 600
"""Characters; a longer reason is cut, not refused: the verdict counts."""


def plain_word(value: Any) -> Any:
    """A word as models write it, ready to be compared: case, blanks and a full stop do not count."""
    return value.strip().strip(".").lower() if isinstance(value, str) else value


Reason = Annotated[
    str,
    BeforeValidator(lambda value: value[:MAX_REASON] if isinstance(value, str) else value),
    Field(max_length=MAX_REASON),
]
"""One or two sentences."""

R = TypeVar("R", bound=BaseModel)


async def ask_grader(
    context: SkillContext, skill: Skill, method: str, schema: type[R], /, **slots: object
) -> R | None:
    """A grader's reply; None if it had no usable form twice, so that a bad grader does not end a run.

    Raises:
        ModelError: The endpoint failed.
        CallLimitReached: The run has no calls left.
    """
    sampling = Sampling(temperature=0.0, max_tokens=300)
    return await context.structured_or_none(skill, method, schema, sampling, **slots)


def as_judged(answer: Answer) -> str:
    """An answer as a grader reads it: whether it is only suggested, or incomplete, is a part of what it says."""
    return f"{standing(answer)}{answer.text}"


def unusable(verdict: str) -> str:
    """The note of a grade that could not be read."""
    return (
        f"The grader's reply could not be read, even at the second try; “{verdict}” is the cautious verdict."
    )
