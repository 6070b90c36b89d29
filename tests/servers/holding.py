"""Order without a clock: a call of the model that waits for something else to happen first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from core.models import calling
from core.models.endpoint import ChatEndpoint
from core.models.stream_events import Piece
from core.runs.record import Call
from core.runs.run_job import RunJob
from core.trace.events import ArtefactMade, BaseEvent, Event, Message
from tests.scripted import Rule
from tests.scripted.prompts import asked

GIVE_UP = 120.0
"""Seconds; only a fault lasts as long."""
FOR_EVER = 3600.0
"""A rule's delay: the reply comes only after the test."""


class Held:
    """Holds the calls of one skill back; what the test waits for is seen in the events of its run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, skill: str, after: int = 0, **told: str) -> None:
        """Use it after `scripted`.

        Args:
            monkeypatch: Undoes it.
            skill: Key of the skill.
            after: Calls that are not held.
            told: Which of its calls, as in a rule.
        """
        self._after = after
        self._rule, self._stream, self._free = Rule(skill=skill, told=told), vars(calling)["stream"], False
        monkeypatch.setattr(calling, "stream", self._held)

    def release(self) -> None:
        """Let them go, and all that come later."""
        self._free = True

    async def _held(
        self, endpoint: ChatEndpoint, patience: float, messages: Sequence[Message], body: dict[str, Any]
    ) -> AsyncGenerator[Piece]:
        sent = [message.model_dump() for message in messages]
        held = self._rule.fits({"messages": sent}, asked(sent))
        self._after -= held
        if held and self._after < 0:
            end = time.monotonic() + GIVE_UP
            while not self._free and time.monotonic() < end:
                await asyncio.sleep(0.005)
        async with aclosing(self._stream(endpoint, patience, messages, body)) as pieces:
            async for piece in pieces:
                yield piece


def after(calls: int, then: Callable[[], object] = lambda: None, **values: Any) -> Rule:
    """For every call after the first so many; with the first of them, something is done."""
    seen = [0]

    def later(_: dict[str, Any]) -> bool:
        seen[0] += 1
        if seen[0] == calls + 1:
            then()
        return seen[0] > calls

    return Rule(when=later, **values)


def wait_for(job: RunJob, wanted: Callable[[Event], bool]) -> Event:
    """The first such event of a run."""
    end = time.monotonic() + GIVE_UP
    while True:
        done = job.done
        for event in list(job.events):
            if wanted(event):
                return event
        if done or time.monotonic() > end:
            raise AssertionError(f"It never came: {[event.type for event in job.events]}")
        time.sleep(0.005)


def a(kind: type[BaseEvent]) -> Callable[[Event], bool]:
    """An event of this kind."""
    return lambda event: isinstance(event, kind)


def made(kind: str) -> Callable[[Event], bool]:
    """An artefact of this kind was made."""
    return lambda event: isinstance(event, ArtefactMade) and event.artefact.kind == kind


def at_once(calls: Sequence[Call]) -> bool:
    """Whether all of these calls had begun before the first of them ended."""
    return max(call.start for call in calls) < min(call.end or 0 for call in calls)
