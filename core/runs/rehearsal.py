"""Rehearsals: what a recording holds of a question is played before it is asked, to see how far it goes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.models.choice import Play
from core.runs.beginnings import Beginning
from core.runs.engine import execute
from core.runs.request import RunRequest
from core.skills import SKILLS
from core.strategies import get_strategy
from core.trace.events import ModelFinished, ReplyMissing

if TYPE_CHECKING:
    from core.runs.workbench import Workbench


@dataclass(frozen=True)
class Rehearsal:
    """How far a recording goes with one question."""

    held: int
    """Number of model calls that it holds, up to the first one that it lacks."""
    lacks: str = ""
    """Title of the step that asks for the first reply that it lacks; empty: it holds all of them."""


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
    held, lacks = 0, ""
    async for event in events:
        if isinstance(event, ModelFinished):
            held += 1
        elif isinstance(event, ReplyMissing):
            lacks = lacks or SKILLS[event.skill].title
    return Rehearsal(held, lacks)
