"""Writes that many ask for at once, done together."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Batches(Generic[K, V]):
    """Values that come while others are written wait, and are then written by one call.

    SQLite lets one transaction write at a time; the others look again and again, whoever comes last may well be next,
    and each has a connection meanwhile. A hundred votes within a second, each on its own, kept one another, runs and
    pages waiting for seconds.
    """

    def __init__(self, write: Callable[[Mapping[K, V]], Collection[K]]) -> None:
        """`write` gets values by key, never by two threads at once, and returns the keys that were taken."""
        self._write = write
        self._waiting: deque[tuple[K, V, Future[bool]]] = deque()
        self._writing = threading.Lock()

    def put(self, key: K, value: V) -> bool:
        """Write a value, and return True if it was taken. Of two values of a key at once, the later one stays.

        What `write` raises is raised for each value that it was given.
        """
        outcome: Future[bool] = Future()
        self._waiting.append((key, value, outcome))
        with self._writing:
            if not outcome.done():  # no other thread has written it meanwhile
                self._write_waiting()
        return outcome.result()

    def _write_waiting(self) -> None:
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        try:
            taken = self._write({key: value for key, value, _ in batch})
        except BaseException as error:
            for _, _, outcome in batch:
                outcome.set_exception(error)
        else:
            for key, _, outcome in batch:
                outcome.set_result(key in taken)
