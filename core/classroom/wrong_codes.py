"""The number of wrong codes that an address may try: guessing one of a billion codes must stay hopeless."""

from __future__ import annotations

import threading
import time
from collections import deque

SECONDS = 60.0
ADDRESSES = 10_000
"""Addresses that are remembered; above that, those that were wrong longest ago are forgotten."""


class WrongCodes:
    """The wrong codes of the last minute by address, in one process; thread-safe."""

    def __init__(self, most: int) -> None:
        """Allow `most` wrong codes of one address within `SECONDS`."""
        self._most = most
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def note(self, address: str) -> None:
        """Remember a wrong code."""
        with self._lock:
            times = self._times.pop(address, deque(maxlen=self._most))
            times.append(time.monotonic())
            self._times[address] = times  # the last to be forgotten
            if len(self._times) > ADDRESSES:
                del self._times[next(iter(self._times))]

    def too_many(self, address: str) -> bool:
        """True if this address has to wait before it may try another code."""
        times = self._times.get(address)
        return times is not None and len(times) == self._most and time.monotonic() - times[0] < SECONDS
