"""Turns at a model that answers only so many calls at once: who waits, and for how many others.

Owners take turns, each with their calls in order, so that one who asks much does not keep the others waiting.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Turns]] = WeakKeyDictionary()
"""Loop -> base URL of a model -> its turns."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """One call that waits for its turn."""

    turns: Turns
    owner: str
    comes: asyncio.Future[None]

    @property
    def ahead(self) -> int:
        """Number of waiting calls that come before it, if nobody else comes; from any thread."""
        return self.turns.before(self)


class Turns:
    """The calls of one model in one event loop. Only its loop changes it; any thread may read it."""

    def __init__(self) -> None:
        self._under_way = 0
        self._lines: dict[str, deque[Waiting]] = {}
        """Owner -> their calls that wait; the owner whose turn is next comes first."""
        self._lock = threading.Lock()

    @asynccontextmanager
    async def turn(self, most: int, owner: str, waiting: list[Waiting]) -> AsyncGenerator[float]:
        """Wait until fewer than `most` calls are under way, and be one of them; gives the seconds that were waited.

        Args:
            owner: For whom the call is; owners take turns.
            waiting: Holds the call while it waits.
        """
        waited = 0.0
        if self._under_way >= most:
            mine = Waiting(self, owner, asyncio.get_running_loop().create_future())
            began = time.perf_counter()
            waiting.append(mine)
            with self._lock:
                self._lines.setdefault(owner, deque()).append(mine)
            try:
                await mine.comes
                waited = time.perf_counter() - began
            except asyncio.CancelledError:
                self._give_up(mine)
                raise
            finally:
                waiting.remove(mine)
        else:
            self._under_way += 1
        try:
            yield waited
        finally:
            self._pass_on()

    def before(self, call: Waiting) -> int:
        """See `Waiting.ahead`."""
        with self._lock:
            owners = list(self._lines)
            if call.owner not in owners or call not in self._lines[call.owner]:
                return 0
            own = self._lines[call.owner].index(call)
            place = owners.index(call.owner)
            rounds = (own + (number < place) for number in range(len(owners)))
            lines = zip(owners, rounds, strict=True)
            return sum(min(len(self._lines[owner]), turns) for owner, turns in lines)

    def _pass_on(self) -> None:
        """Give the turn of a call that has ended to the next one."""
        with self._lock:
            while self._lines:
                owner = next(iter(self._lines))
                line = self._lines.pop(owner)
                following = line.popleft()
                if line:
                    self._lines[owner] = line  # at the end
                if not following.comes.done():
                    following.comes.set_result(None)
                    return
            self._under_way -= 1

    def _give_up(self, call: Waiting) -> None:
        if not call.comes.cancelled():  # its turn came at the same moment
            self._pass_on()
            return
        with self._lock:
            line = self._lines.get(call.owner, deque())
            if call in line:
                line.remove(call)
            if not line:
                self._lines.pop(call.owner, None)


def turns_of(base_url: str) -> Turns:
    """The turns at the model of this base URL in the running event loop."""
    return _TURNS.setdefault(asyncio.get_running_loop(), {}).setdefault(base_url, Turns())
