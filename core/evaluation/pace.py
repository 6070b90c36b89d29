"""How far an evaluation is, how fast it goes, and what is left."""

from __future__ import annotations

import time
from collections import deque

from core.wording import duration

_JUDGED = 50
"""Pairs from which the rate is judged."""


class Pace:
    """Counts the pairs of an evaluation; written on the event loop, read from anywhere."""

    def __init__(self) -> None:
        self.pairs = 0
        """Pairs of the whole evaluation."""
        self.pairs_done, self.pairs_failed = 0, 0
        """Of all pairs, those of earlier times included; failed ones are tried again."""
        self.failed_in_a_row = 0
        """How many failed one after the other, lately."""
        self._times: deque[float] = deque(maxlen=_JUDGED)

    def count(self, *, failed: bool) -> None:
        """Note that a pair was tried."""
        self._times.append(time.monotonic())
        if failed:
            self.pairs_failed += 1
            self.failed_in_a_row += 1
        else:
            self.pairs_done += 1
            self.failed_in_a_row = 0

    @property
    def rate(self) -> float | None:
        """Pairs per second, lately; None until there is something to go by."""
        times = list(self._times)
        return (len(times) - 1) / max(1e-6, times[-1] - times[0]) if len(times) > 1 else None

    @property
    def left(self) -> float | None:
        """Seconds that the rest will probably take; None until there is something to go by."""
        rate = self.rate
        return None if rate is None else (self.pairs - self.pairs_done - self.pairs_failed) / rate

    @property
    def standing(self) -> str:
        """All of it in a few words."""
        failed = f", {self.pairs_failed:,} failed" if self.pairs_failed else ""
        left = f", about {duration(self.left)} left" if self.left else ""
        return f"{self.pairs_done:,} of {self.pairs:,} done{failed}{left}"
