"""The progress and the report of an import."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from core.trace.passages import Frozen
from core.wording import counted

_WINDOW_SECONDS = 10.0
"""Time that the rate is computed over: a slow start, while models load, soon stops counting."""
_TRUST_SECONDS = 1.5
"""Shortest time of indexing after which a rate is given."""


@dataclass(frozen=True)
class Progress:
    """The progress of an import. Totals of documents and chunks grow while files are being read."""

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
    """Chunks found so far; all of them as soon as every file is read."""
    chunks_expected: int = 0
    """Estimated number of chunks, if unread files have as many chunks per byte as those that were read."""
    situated: int | None = None
    """Chunks for which a context was written, or asked for in vain; None: none is asked for."""
    current: str = ""
    """Name of the document being worked on."""
    share: float = 0.0
    """Share of the expected chunks that are done, from 0 to 1; never decreases."""
    rate: float | None = None
    """Recent chunks per second; None: too early to tell."""
    left: float | None = None
    """Estimated seconds that the rest takes at this rate; None: too early to tell."""

    @property
    def all_read(self) -> bool:
        """True once the totals are final."""
        return self.files == self.files_total

    @property
    def message(self) -> str:
        """The progress in a few words."""
        if self.situated is not None and self.stage == "indexing":
            total = f"{self.chunks_total:,}" if self.all_read else f"about {_round(self.chunks_expected):,}"
            return f"Writing contexts: {self.situated:,} of {total} chunks, {self.chunks:,} indexed"
        if self.stage == "indexing" and self.all_read:
            chunks = f"{self.chunks:,} of {self.chunks_total:,} chunks"
            return f"Indexing: {chunks}, {self.documents:,} of {self.documents_total:,} documents"
        if self.stage == "indexing":
            chunks = f"{self.chunks:,} of about {_round(self.chunks_expected):,} chunks"
            files = f", {self.files:,} of {self.files_total:,} files read" if self.files_total > 1 else ""
            return f"Indexing: {chunks}{files}"
        if self.stage == "reading" and self.files_total > 1:
            return f"Reading: {self.files:,} of {self.files_total:,} files"
        return "Getting ready" if self.stage == "waiting" else "Reading"


def _round(number: int) -> int:
    """Return an estimate without figures that nobody can know."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return max(1, -(-number // step)) * step


class Tracker:
    """Keeps the progress, passes each change to the listener, and estimates what is left. The clock gives seconds."""

    def __init__(
        self,
        listener: Callable[[Progress], None],
        files_total: int,
        bytes_total: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._listener = listener
        self._bytes_total = bytes_total
        self._bytes_read = 0.0
        self._pace = ThroughputEstimate(clock=clock)
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

    def add_document(self, chunks: int, size: float) -> None:
        """Note that a document was read that has `chunks` chunks and took up `size` bytes of its file."""
        self._bytes_read += size
        self.update(documents_total=self.now.documents_total + 1, chunks_total=self.now.chunks_total + chunks)

    def skip_bytes(self, size: float) -> None:
        """Note that `size` bytes were read that give nothing to index."""
        self._bytes_read += size

    def _expected(self, now: Progress) -> int:
        if now.all_read or not self._bytes_read:
            return now.chunks_total
        unread = max(0.0, self._bytes_total - self._bytes_read)
        return now.chunks_total + round(now.chunks_total / self._bytes_read * unread)


class ThroughputEstimate:
    """Estimates how many items are done per second, from the recent past."""

    def __init__(self, window: float = _WINDOW_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._window = window
        """Seconds that are looked back; more if no item was done within them."""
        self._clock = clock
        self._marks: deque[tuple[float, int]] = deque()
        """Times with the number of items done by then."""

    def __call__(self, done: int) -> float | None:
        """Return items per second, now that `done` items are done; None: too early to tell."""
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


class ContextReport(Frozen):
    """The calls, tokens and outcome of writing contexts for chunks."""

    model: str
    chunks: int
    """Chunks that have one now."""
    without: int
    """Chunks for which the model gave none, though asked twice."""
    alone: int
    """Chunks that need none: they say all themselves, or are whole documents."""
    calls: int
    """Model calls, repeated ones included."""
    kept: int
    """Calls that were spared, since their replies were kept from before."""
    tokens_in: int
    tokens_out: int
    """Tokens sent and written, as the endpoint counted them; 0 where it does not."""

    @property
    def sentences(self) -> str:
        """The report in sentences."""
        reused = counted(self.kept, "reply was", "replies were")
        without = counted(
            self.without, "chunk has none: the model gave none", "chunks have none: the model gave none"
        )
        alone = counted(self.alone, "chunk needs none", "chunks need none")
        tokens = f", {self.tokens_in:,} tokens sent, {self.tokens_out:,} written" if self.tokens_in else ""
        chunks, calls = counted(self.chunks, "chunk"), counted(self.calls, "call")
        parts = [
            f"{self.model} wrote a context for {chunks} in {calls}{tokens}.",
            f"{reused} kept from before." if self.kept else "",
            f"{without}." if self.without else "",
            f"{alone}: it says all itself, or is a whole document." if self.alone == 1 else "",
            f"{alone}: they say all themselves, or are whole documents." if self.alone > 1 else "",
        ]
        return " ".join(filter(None, parts))


class IndexReport(Frozen):
    """The result of an import."""

    corpus: str
    documents: int
    """Documents indexed by this import, new or replaced."""
    chunks: int
    """Their chunks."""
    unchanged: int
    """Documents that were there already."""
    skipped: tuple[Skipped, ...]
    seconds: float
    contexts: ContextReport | None = Field(None, exclude_if=lambda report: report is None)
    """The report on the contexts of its chunks; None for a corpus without."""
