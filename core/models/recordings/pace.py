"""The pace at which kept replies are played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Literal, get_args

from core.models.recordings.items import KeptReply
from core.models.wire import Piece

Pace = Literal["recorded", "fast", "once"]
PACES: tuple[Pace, ...] = get_args(Pace)
FIRST_SECONDS = 0.1
"""Until the first piece, at a fast pace."""
FAST_SECONDS = 1.0
"""Longest reply at a fast pace; a shorter one is played at `FAST_CHARACTERS`."""
FAST_CHARACTERS = 480.0
"""A second. Not words: some scripts have no blanks."""
PIECE_SECONDS = 1 / 30
"""Shortest time between two pieces: a page cannot draw them faster."""


async def played(reply: KeptReply, pace: Pace, *, shown: bool) -> AsyncGenerator[Piece]:
    """A reply piece by piece.

    Args:
        reply: What was kept.
        pace: As recorded, fast, or at once.
        shown: Whether somebody watches it being written; if not, it comes whole at its end.
    """
    text, length = reply.text, len(reply.text)
    if pace == "recorded":
        first = min(reply.first, reply.seconds)
        rest = reply.seconds - first
    elif pace == "fast":
        first, rest = FIRST_SECONDS, min(FAST_SECONDS, length / FAST_CHARACTERS)
    else:
        first = rest = 0.0
    pieces = max(1, min(length, int(rest / PIECE_SECONDS))) if shown else 1
    await asyncio.sleep(first)
    for number in range(pieces):
        if rest:
            await asyncio.sleep(rest / pieces)
        piece = text[number * length // pieces : (number + 1) * length // pieces]
        last = number == pieces - 1
        yield Piece(piece, ("length" if reply.cut else "stop") if last else "", reply.usage if last else None)
