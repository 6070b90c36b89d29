"""A run under way: its events grow in memory, are written to the store, and outlive the page that asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

from core.jobs import Job
from core.runs.store import RunStore
from core.trace.events import Event, RunFailed, RunFinished, RunStopped

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.25
"""How long an event may wait in memory before it is written."""


class RunJob:
    """One run. Read `events` from any thread: the list only grows."""

    def __init__(self, run: str, events: AsyncIterator[Event], store: RunStore, owner: str) -> None:
        self.run = run
        """Id of the run."""
        self.events: list[Event] = []
        self._store, self._owner = store, owner
        self._written = 0
        self._job = Job(self._record(events))

    @property
    def done(self) -> bool:
        """Whether the last event is there."""
        return bool(self.events) and isinstance(self.events[-1], RunFinished | RunFailed | RunStopped)

    def stop(self) -> None:
        """End the run; what it has is kept."""
        if not self.done:
            self._job.stop()

    def wait(self, timeout: float | None = None) -> list[Event]:
        """Wait until the run has ended and everything is written; its events."""
        self._job.result(timeout)
        return self.events

    async def _record(self, events: AsyncIterator[Event]) -> None:
        writer = asyncio.create_task(self._keep_writing())
        try:
            async for event in events:
                self.events.append(event)
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            await self._write()

    async def _keep_writing(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            # A write that has begun is finished even when the run ends meanwhile.
            await asyncio.shield(self._write())

    async def _write(self) -> None:
        new = self.events[self._written :]
        self._written += len(new)
        try:
            await asyncio.to_thread(self._store.append, self.run, new, self._owner)
        except Exception:
            log.exception("Events of run %s could not be stored", self.run)
