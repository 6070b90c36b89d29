"""Shared parts of the methods that use the fine-tuned built-in model, called “taught” in the app.

A small model does a task only with the exact prompt that it was fine-tuned on: so the prompts are short.
"""

from __future__ import annotations

from typing import Any

from core.errors import EmptyReplyError
from core.models.capabilities import Sampling
from core.skills.base import ADAPTER_ON, TAUGHT, Skill, SkillContext

ENGLISH_ONLY = "The built-in model knows English only, so it was not asked."


def with_adapter(max_tokens: int, *, temperature: float = 0.0, **extra: Any) -> Sampling:
    """Sampling through the adapter; greedy unless a temperature says otherwise."""
    return Sampling(temperature=temperature, max_tokens=max_tokens, extra=ADAPTER_ON | extra)


async def ask_taught(context: SkillContext, skill: Skill, sampling: Sampling, /, **slots: object) -> str:
    """The reply of a skill's taught method, trimmed; it may be empty.

    Raises:
        ModelError: The endpoint failed.
        CallLimitReached: The run has no calls left.
    """
    try:
        return (await context.text(skill, TAUGHT, sampling, show=False, **slots)).strip()
    except EmptyReplyError:
        return ""
