"""A model whose recording has gaps: what a run meets that plays kept replies, with or without the built-in model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.errors import NotKept
from core.models.chat import Chat
from core.runs import launch, preparing
from core.strategies.base import RunContext
from core.trace.events import RunStarted, Tracer

SENTENCE = "The recording has no reply for this prompt."
Lacks = Callable[[str, int], bool]
"""Key of a skill, and which of its requests it is, from 1 -> whether the recording has no reply."""


class Forgetful:
    """Answers as the chat client that it wraps, but for what the recording lacks."""

    def __init__(self, chat: Chat, lacks: Lacks, asked: Counter[str]) -> None:
        self._chat, self._lacks, self._asked = chat, lacks, asked

    def traced(self, tracer: Tracer) -> Forgetful:
        return Forgetful(self._chat.traced(tracer), self._lacks, self._asked)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._chat, name)
        if name not in ("text", "structured", "call_tools"):
            return found

        async def ask(*args: Any, skill: str, **kwargs: Any) -> Any:
            self._asked[skill] += 1
            if self._lacks(skill, self._asked[skill]):
                raise NotKept(SENTENCE)
            return await found(*args, skill=skill, **kwargs)

        return ask


def forget(monkeypatch: pytest.MonkeyPatch, lacks: Lacks, *, falls_back: bool = True) -> None:
    """Runs play a recording with these gaps; with `falls_back` the endpoint stands in for the built-in model, too."""
    real = preparing.prepare

    async def prepare(*args: Any, **kwargs: Any) -> tuple[RunStarted, RunContext[Any]]:
        started, context = await real(*args, **kwargs)
        own = context.skills
        fallback = replace(own, builtin=True, methods={}) if falls_back else None
        chat: Any = Forgetful(own.chat, lacks, Counter())
        return started, replace(context, skills=replace(own, chat=chat, fallback=fallback))

    monkeypatch.setattr(launch, "prepare", prepare)


def everything(skill: str, number: int) -> bool:
    """Nothing is kept."""
    return True


def of(*skills: str, first: int = 1) -> Lacks:
    """Nothing is kept of these skills, from their `first` request on."""
    return lambda skill, number: skill in skills and number >= first
