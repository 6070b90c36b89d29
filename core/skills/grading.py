"""The shared part of all graders: a verdict out of a short list, and a reason."""

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
) -> R:
    """A grader's reply; errors as in `Chat.structured`."""
    return await context.structured(skill, method, schema, Sampling(temperature=0.0, max_tokens=300), **slots)


def as_judged(answer: Answer) -> str:
    """An answer as a grader reads it: whether it is only suggested, or incomplete, is a part of what it says."""
    return f"{standing(answer)}{answer.text}"
