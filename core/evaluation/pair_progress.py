"""The progress of an evaluation: pairs done, rate, and time left."""

from __future__ import annotations

import time
from collections import deque

from core.wording import duration

_JUDGED = 50
"""Number of recent pairs from which the rate is computed."""


class PairProgress:
    """Counts the pairs of an evaluation; written on the event loop, read from anywhere."""

    def __init__(self) -> None:
        self.pairs = 0
        """Pairs of the whole evaluation."""
        self.pairs_done, self.pairs_failed = 0, 0
        """Numbers of pairs done and failed, including earlier sessions of work; failed pairs are tried again."""
        self.failed_in_a_row = 0
        """Number of pairs that failed in a row, up to the latest."""
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
        """Recent pairs per second; None: too early to tell."""
        times = list(self._times)
        return (len(times) - 1) / max(1e-6, times[-1] - times[0]) if len(times) > 1 else None

    @property
    def left(self) -> float | None:
        """Estimated seconds for the rest; None: too early to tell."""
        rate = self.rate
        return None if rate is None else (self.pairs - self.pairs_done - self.pairs_failed) / rate

    @property
    def standing(self) -> str:
        """The progress in a few words."""
        failed = f", {self.pairs_failed:,} failed" if self.pairs_failed else ""
        left = f", about {duration(self.left)} left" if self.left else ""
        return f"{self.pairs_done:,} of {self.pairs:,} done{failed}{left}"
