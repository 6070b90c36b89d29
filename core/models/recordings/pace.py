"""The pace at which kept replies are played."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from typing import Literal, get_args

from core.models.recordings.items import KeptReply
from core.models.wire import Piece

Pace = Literal["recorded", "fast", "once"]
PACES: tuple[Pace, ...] = get_args(Pace)
FIRST_SECONDS = 0.1
"""Until the first piece, at a fast pace."""
FAST_SECONDS = 1.0
"""Longest reply at a fast pace; a shorter one is played at `FAST_WORDS`."""
FAST_WORDS = 80.0
"""A second."""
PIECE_SECONDS = 1 / 30
"""Shortest time between two pieces: a page cannot draw them faster."""


async def played(reply: KeptReply, pace: Pace, *, shown: bool) -> AsyncGenerator[Piece]:
    """A reply piece by piece.

    Args:
        reply: What was kept.
        pace: As recorded, fast, or at once.
        shown: Whether somebody watches it being written; if not, it comes whole at its end.
    """
    words = re.findall(r"\s*\S+\s*", reply.text) or [reply.text]
    if pace == "recorded":
        first = min(reply.first, reply.seconds)
        rest = reply.seconds - first
    elif pace == "fast":
        first, rest = FIRST_SECONDS, min(FAST_SECONDS, len(words) / FAST_WORDS)
    else:
        first = rest = 0.0
    pieces = max(1, min(len(words), int(rest / PIECE_SECONDS))) if shown else 1
    await asyncio.sleep(first)
    for number in range(pieces):
        if rest:
            await asyncio.sleep(rest / pieces)
        text = "".join(words[number * len(words) // pieces : (number + 1) * len(words) // pieces])
        last = number == pieces - 1
        yield Piece(text, ("length" if reply.cut else "stop") if last else "", reply.usage if last else None)
