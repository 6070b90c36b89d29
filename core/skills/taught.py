"""Shared parts of the methods that use the fine-tuned built-in model, called “taught” in the app.

A small model does a task only with the exact prompt that it was fine-tuned on, and only for texts about as long as its
training texts: so the prompts are short, and the passages are cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from core.errors import EmptyReplyError
from core.models.capabilities import Sampling
from core.skills.base import ADAPTER_ON, TAUGHT, Skill, SkillContext
from core.trace.passages import Passage

JUDGED_WORDS = 350
"""Words of passages that the model reads before it says yes or no."""
NEITHER = "The model says neither yes nor no; “no” is the cautious verdict."
ENGLISH_ONLY = "The built-in model knows English only, so it was not asked."


def with_adapter(max_tokens: int | None = None, *, temperature: float = 0.0, **extra: Any) -> Sampling:
    """Sampling through the adapter; greedy unless a temperature says otherwise."""
    return Sampling(temperature=temperature, max_tokens=max_tokens, extra=ADAPTER_ON | extra)


async def ask_taught(
    context: SkillContext, skill: Skill, sampling: Sampling, /, *, show: bool = False, **slots: object
) -> str:
    """The reply of a skill's taught method, trimmed; it may be empty.

    Raises:
        ModelError: The endpoint failed.
        CallLimitReached: The run has no calls left.
    """
    try:
        return (await context.text(skill, TAUGHT, sampling, show=show, **slots)).strip()
    except EmptyReplyError:
        return ""


async def probability_of_yes(context: SkillContext, skill: Skill, /, **slots: object) -> float | None:
    """Probability that a skill's taught method says yes and not no; None if it says neither.

    Raises:
        ModelError: The endpoint failed.
        CallLimitReached: The run has no calls left.
    """
    found = await context.chat.word_probabilities(
        context.messages(skill, TAUGHT, **slots),
        ("yes", "no"),
        skill=skill.key,
        method=TAUGHT,
        sampling=Sampling(extra=ADAPTER_ON),
    )
    return found.get("yes")


def first_words(text: str, most: int) -> str:
    """The beginning of a text, its lines as they are."""
    found = re.match(rf"(?:\s*\S+){{0,{most}}}", text)
    return found.group() if found else ""


def first_passages(passages: Sequence[Passage], words: int) -> list[Passage]:
    """The first passages, up to a number of words in all; the last passage is cut to fit."""
    kept: list[Passage] = []
    for passage in passages:
        if words <= 0:
            break
        text = first_words(passage.text, words)
        kept.append(passage.model_copy(update={"text": text}))
        words -= len(text.split())
    return kept
