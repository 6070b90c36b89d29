"""What an import tells while it runs and when it is done."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from core.trace.passages import Frozen

_WINDOW_SECONDS = 10.0
"""How far back the rate looks: a slow start, while models load, is forgotten soon."""
_TRUST_SECONDS = 1.5
"""How long chunks must have been coming before a rate is told."""


@dataclass(frozen=True)
class Progress:
    """How far an import is. Totals of documents and chunks grow while files are being read."""

    stage: Literal["waiting", "reading", "indexing"] = "waiting"
    """`waiting`: for another import into the same corpus to end."""
    files: int = 0
    """Files read."""
    files_total: int = 0
    documents: int = 0
    documents_total: int = 0
    """Documents found so far; all of them as soon as every file is read."""
    chunks: int = 0
    chunks_total: int = 0
    """Chunks found so far, likewise."""
    chunks_expected: int = 0
    """Chunks that there will be if what is still unread has as many per byte as what has been read."""
    current: str = ""
    """Name of the document being worked on."""
    share: float = 0.0
    """Chunks done of those expected, from 0 to 1; never goes back."""
    rate: float | None = None
    """Chunks per second, lately; None until there is something to go by."""
    left: float | None = None
    """Seconds that the rest will take at this rate; None likewise."""

    @property
    def all_read(self) -> bool:
        """Whether the totals are final."""
        return self.files == self.files_total


class Tracker:
    """Keeps the progress, passes on each change, and estimates what is left."""

    def __init__(
        self,
        listener: Callable[[Progress], None],
        files_total: int,
        bytes_total: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            listener: Told of each change.
            files_total: How many files there are.
            bytes_total: How much there is to read.
            clock: Seconds.
        """
        self._listener = listener
        self._bytes_total = bytes_total
        self._bytes_read = 0.0
        self._pace = Pace(clock=clock)
        self.now = Progress(files_total=files_total)
        listener(self.now)

    def update(self, **changes: Any) -> None:
        """Set fields of the progress."""
        now = replace(self.now, **changes)
        expected = self._expected(now)
        share = max(now.share, now.chunks / expected if expected else 0.0)
        rate = self._pace(now.chunks)
        left = (expected - now.chunks) / rate if rate else None
        self.now = replace(now, chunks_expected=expected, share=share, rate=rate, left=left)
        self._listener(self.now)

    def found(self, chunks: int, size: float) -> None:
        """A document of so many chunks was read; it took up `size` bytes of its file."""
        self._bytes_read += size
        self.update(documents_total=self.now.documents_total + 1, chunks_total=self.now.chunks_total + chunks)

    def passed(self, size: float) -> None:
        """`size` bytes were looked at that give nothing to index."""
        self._bytes_read += size

    def _expected(self, now: Progress) -> int:
        if now.all_read or not self._bytes_read:
            return now.chunks_total
        unread = max(0.0, self._bytes_total - self._bytes_read)
        return now.chunks_total + round(now.chunks_total / self._bytes_read * unread)


class Pace:
    """How many are done per second, lately."""

    def __init__(self, window: float = _WINDOW_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        """
        Args:
            window: Seconds it looks back, or as far as the last one done.
            clock: Seconds.
        """
        self._window = window
        self._clock = clock
        self._marks: deque[tuple[float, int]] = deque()
        """When how many were done."""

    def __call__(self, done: int) -> float | None:
        """The rate, now that so many are done; None until there is something to go by."""
        now = self._clock()
        if done and (not self._marks or self._marks[-1][1] != done):
            self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] > self._window:
            self._marks.popleft()
        if not self._marks or now - self._marks[0][0] < _TRUST_SECONDS:
            return None
        since, before = self._marks[0]
        return (done - before) / (now - since)


class Skipped(Frozen):
    """A file or document that was not indexed, and why."""

    file: str
    reason: str


class IndexReport(Frozen):
    """What an import did."""

    corpus: str
    documents: int
    """Documents indexed by this import, new or replaced."""
    chunks: int
    """Their chunks."""
    unchanged: int
    """Documents that were there already."""
    skipped: tuple[Skipped, ...]
    seconds: float
    moved_to: str = Field("", exclude=True)
    """Name of the corpus that holds what had been added to one that comes with the app; empty: nothing had been."""
