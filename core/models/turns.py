"""Calls of a model that answers only so many at once: first come, first served."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

_LINES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int], Line]] = WeakKeyDictionary()
"""Loop -> base URL of a model, and the calls that it answers at once -> those that wait for it."""


class Line:
    """The calls that wait for one model in one event loop. Any thread may ask for a place."""

    def __init__(self, most: int) -> None:
        """Take the number of calls that may be under way at once."""
        self._free = asyncio.Semaphore(most)
        self._waiting: list[object] = []

    @asynccontextmanager
    async def turn(self, caller: object) -> AsyncGenerator[float]:
        """Wait for a turn, and have it; gives the seconds that were waited. A caller may wait for several."""
        began = time.perf_counter()
        self._waiting.append(caller)
        try:
            await self._free.acquire()
        finally:
            self._waiting.remove(caller)
        try:
            yield round(time.perf_counter() - began, 3)
        finally:
            self._free.release()

    def ahead(self, caller: object) -> int | None:
        """Number of calls that come before the first one of a caller; None: none of theirs waits."""
        waiting = self._waiting[:]
        return waiting.index(caller) if caller in waiting else None


def line_for(base_url: str, most: int) -> Line:
    """The calls that wait, in the running event loop, for a model that answers so many at once."""
    lines = _LINES.setdefault(asyncio.get_running_loop(), {})
    return lines.setdefault((base_url, most), Line(most))
