"""Indexing as a background job with progress."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from core.corpora.reports import IndexReport, Progress
from core.jobs import WatchedJob


class IndexJob(WatchedJob[IndexReport, Progress]):
    """Documents being indexed; the documents finished before a stop stay indexed."""

    def __init__(
        self, work: Callable[[Callable[[Progress], None]], Coroutine[Any, Any, IndexReport]]
    ) -> None:
        super().__init__(work(self.tell), Progress())

    @property
    def message(self) -> str:
        """How far it is, in a few words."""
        now = self.progress
        if now.situated is not None and now.stage == "indexing":
            total = f"{now.chunks_total:,}" if now.all_read else f"about {_round(now.chunks_expected):,}"
            return f"Writing contexts: {now.situated:,} of {total} chunks, {now.chunks:,} indexed"
        if now.stage == "indexing" and now.all_read:
            chunks = f"{now.chunks:,} of {now.chunks_total:,} chunks"
            return f"Indexing: {chunks}, {now.documents:,} of {now.documents_total:,} documents"
        if now.stage == "indexing":
            chunks = f"{now.chunks:,} of about {_round(now.chunks_expected):,} chunks"
            files = f", {now.files:,} of {now.files_total:,} files read" if now.files_total > 1 else ""
            return f"Indexing: {chunks}{files}"
        if now.stage == "reading" and now.files_total > 1:
            return f"Reading: {now.files:,} of {now.files_total:,} files"
        return "Getting ready" if now.stage == "waiting" else "Reading"


def _round(number: int) -> int:
    """An estimate without figures that nobody can know."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return max(1, -(-number // step)) * step
