"""The time of model calls on one machine, and the speed that follows from it.

Calls share the machine, so each is given its part of the time: of a second in which four are under way, a quarter. The
parts of all calls sum up to the time that passed, whether they came at once or one by one; so does a forecast that is
made from them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from core.models.stream_events import Piece
from core.trace.events import Usage

LEAST_READ, LEAST_WRITTEN = 50, 5
"""Tokens of a call that says something about a speed."""
MOST_KNOWN = 0.5
"""Part of a prompt that the server may have read before. Prompts begin alike, and what that saves counts as speed; but
a prompt that is sent again is not read at all."""


@dataclass(frozen=True)
class CallTime:
    """The tokens of one call, and its part of the machine's time."""

    read: int
    """Tokens of the prompt; 0: it says nothing about reading."""
    reading: float
    """Seconds until the first token."""
    written: int
    """Tokens after the first one."""
    writing: float
    """Seconds from the first token to the last."""


@dataclass(frozen=True)
class Speed:
    """The speed of a model on this machine."""

    reading: float
    """Tokens of a prompt per second."""
    writing: float
    """Tokens of replies per second."""
    calls: int
    """Number of calls that measured it."""

    def seconds(self, read: float, written: float) -> float:
        """The time of so many tokens."""
        return read / self.reading + written / self.writing


def speed_of(calls: Sequence[CallTime]) -> Speed | None:
    """The medians of calls; None: they say too little."""
    reading = [call.read / call.reading for call in calls if call.read >= LEAST_READ and call.reading > 0]
    writing = [
        call.written / call.writing for call in calls if call.written >= LEAST_WRITTEN and call.writing > 0
    ]
    if not reading or not writing:
        return None
    return Speed(median(reading), median(writing), max(len(reading), len(writing)))


class Timing:
    """One call under way, and its part of the machine's time so far."""

    def __init__(self, shared: Shared) -> None:
        """Divide the time among it and the other calls that are under way."""
        self._shared = shared
        self._reading = self._writing = 0.0
        self._pieces = self._known = 0
        self._writes = False

    def add(self, seconds: float) -> None:
        """Add to its part."""
        if self._writes:
            self._writing += seconds
        else:
            self._reading += seconds

    def take(self, piece: Piece) -> None:
        """Note what arrived. The first token ends the reading; some servers send an empty piece ahead of it."""
        self._pieces += 1
        self._known = piece.known or self._known
        if not self._writes and (piece.text or piece.calls or piece.thought or self._pieces > 1):
            with self._shared.dividing():
                self._writes = True

    def measured(self, usage: Usage) -> CallTime | None:
        """The call as it is kept, once it has ended; None: its tokens are not known."""
        if usage.input is None or not usage.output:
            return None
        again = self._known > MOST_KNOWN * usage.input
        return CallTime(0 if again else usage.input, self._reading, usage.output - 1, self._writing)


class Shared:
    """The calls of one model that are under way in this process; thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Begin without any call; the clock gives seconds."""
        self._clock, self._until = clock, clock()
        self._calls: list[Timing] = []
        self._lock = threading.Lock()

    @contextmanager
    def call(self) -> Iterator[Timing]:
        """One more call, as long as what is inside takes."""
        timing = Timing(self)
        with self.dividing():
            self._calls.append(timing)
        try:
            yield timing
        finally:
            with self.dividing():
                self._calls.remove(timing)

    @contextmanager
    def dividing(self) -> Iterator[None]:
        """Give each call its part of the time that has passed; inside, something about the calls may change."""
        with self._lock:
            now = self._clock()
            for timing in self._calls:
                timing.add((now - self._until) / len(self._calls))
            self._until = now
            yield


def covered(spans: Iterable[tuple[float, float]]) -> float:
    """Length of the union of time spans."""
    total, reached = 0.0, 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
