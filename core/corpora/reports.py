"""What an import tells while it runs and when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.trace.passages import Frozen


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
    chunks: int = 0
    chunks_total: int = 0
    current: str = ""
    """Name of the document being worked on."""


class Tracker:
    """Keeps the progress and passes on each change."""

    def __init__(self, listener: Callable[[Progress], None], files_total: int) -> None:
        self._listener = listener
        self.now = Progress(files_total=files_total)
        listener(self.now)

    def update(self, **changes: Any) -> None:
        """Set fields of the progress."""
        self.now = replace(self.now, **changes)
        self._listener(self.now)


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
