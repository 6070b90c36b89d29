"""The shared part of all graders: a verdict out of a short list, and a reason."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field

from core.errors import UnusableReply
from core.models.capabilities import Sampling
from core.skills.base import Skill, SkillContext
from core.skills.frame import standing
from core.trace.artefacts import Answer

MAX_REASON = 600
"""Characters; a longer reason is cut, not refused: the verdict counts."""

YES_TOKENS = 8
"""Longest reply of a word."""


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


class YesOrNo(BaseModel):
    """The form of a reply: yes or no, with a reason."""

    reason: Reason = ""
    verdict: Annotated[Literal["yes", "no"], BeforeValidator(plain_word)]


async def ask_grader(
    context: SkillContext, skill: Skill, method: str, schema: type[R], /, **slots: object
) -> R:
    """A grader's reply; errors as in `Chat.structured`."""
    return await context.structured(skill, method, schema, Sampling(temperature=0.0, max_tokens=300), **slots)


async def ask_yes_or_no(context: SkillContext, skill: Skill, method: str, /, **slots: object) -> bool:
    """True for yes. The reply is a word of plain text: the same word in a field of JSON is yes far more often.

    Raises:
        UnusableReply: The reply begins with another word.
        ModelError: As `Chat.text`.
    """
    sampling = Sampling(temperature=0.0, max_tokens=YES_TOKENS)
    reply = await context.text(skill, method, sampling, show=False, **slots)
    word = re.match(r"\W*(yes|no)\b", reply, re.IGNORECASE)
    if word is None:
        raise UnusableReply("The model's reply is neither yes nor no.", skill.key)
    return word[1].lower() == "yes"


def as_judged(answer: Answer) -> str:
    """An answer as a grader reads it: whether it is only suggested, or incomplete, is a part of what it says."""
    return f"{standing(answer)}{answer.text}"
