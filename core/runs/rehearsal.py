"""Rehearsals: what a recording holds of a question is played before it is asked, to see how far it goes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.models.choice import Play
from core.runs.beginnings import Beginning
from core.runs.engine import execute
from core.runs.record import record
from core.runs.request import RunRequest
from core.skills import SKILLS
from core.strategies import get_strategy
from core.trace.events import ReplyMissing

if TYPE_CHECKING:
    from core.runs.workbench import Workbench


@dataclass(frozen=True)
class Rehearsal:
    """How far a recording goes with one question."""

    calls: tuple[str, ...] = ()
    """Skill of each model call whose reply it has, up to the first one that it lacks."""
    missing: str = ""
    """Key of the skill that asks for the first reply that it lacks; empty: it has all of them."""

    @property
    def known_calls(self) -> int:
        """Number of model calls whose replies it has, up to the first one that it lacks."""
        return len(self.calls)

    @property
    def lacks(self) -> str:
        """Title of the step that asks for the first reply that it lacks; empty: it has all of them."""
        return SKILLS[self.missing].title if self.missing else ""


async def rehearse(bench: Workbench, request: RunRequest) -> Rehearsal:
    """Play a question from the recording of its request, as fast as it goes. No model is asked, and nothing is kept
    or stored.

    Args:
        request: Its choice of a model is one that plays.

    Raises:
        InputError: The request cannot be run, or its model plays no recording.
        ModelError, ServiceError, StoreError: What searches for it does not start.
    """
    play = request.chat.play
    if play is None:
        raise ValueError("only what plays can be rehearsed")
    alone = replace(request.chat, play=Play(play.recording, "fail", "once"))
    started, context = await bench.launcher.prepare(replace(request, chat=alone))
    # No checkpoints: nobody will go on with it.
    events = execute(
        get_strategy(started.strategy), context, Beginning(started, started), None, time.monotonic()
    )
    seen = [event async for event in events]
    run = record(seen)
    missing = next((event.skill for event in seen if isinstance(event, ReplyMissing)), "")
    played = tuple(call.skill for call in run.calls if call.state == "finished")
    return Rehearsal(played, missing)
