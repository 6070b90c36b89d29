"""A run under way: its events grow in memory, are written to the store, and outlive the page that asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress

from core.errors import StoreError
from core.jobs import Job
from core.runs.store import RunStore
from core.trace.events import Event, RunFailed, RunFinished, RunStopped

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.25
"""How long an event may wait in memory before it is written."""
LAST_TRIES = 8
"""How often the end of a run is tried again while the store cannot be written."""


class RunJob:
    """One run. Read `events` from any thread: the list only grows."""

    def __init__(self, run: str, events: AsyncIterator[Event], store: RunStore, owner: str) -> None:
        self.run = run
        """Id of the run."""
        self.owner = owner
        """Session that asked."""
        self.events: list[Event] = []
        self._store = store
        self._written = 0
        self._job = Job(self._record(events))

    @property
    def done(self) -> bool:
        """Whether the last event is there."""
        return bool(self.events) and isinstance(self.events[-1], RunFinished | RunFailed | RunStopped)

    @property
    def stored(self) -> bool:
        """Whether the run has ended and all of it is in the store."""
        return self.done and self._written == len(self.events)

    def stop(self) -> None:
        """End the run; what it has is kept."""
        if not self.done:
            self._job.stop()

    def wait(self, timeout: float | None = None) -> list[Event]:
        """Wait until the run has ended and everything is written; its events."""
        self._job.result(timeout)
        return self.events

    async def _record(self, events: AsyncIterator[Event]) -> None:
        ended = asyncio.Event()
        writer = asyncio.create_task(self._keep_writing(ended))
        try:
            async for event in events:
                self.events.append(event)
        finally:
            ended.set()
            while not writer.done():  # a stop that comes too late must not stop the last write
                with suppress(asyncio.CancelledError):
                    await asyncio.shield(writer)

    async def _keep_writing(self, ended: asyncio.Event) -> None:
        """The only one that writes, so that batches reach the store whole and in order."""
        while not ended.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), FLUSH_SECONDS)
            await self._write()
        for _ in range(LAST_TRIES):
            if self.stored:
                return
            await asyncio.sleep(FLUSH_SECONDS)
            await self._write()

    async def _write(self) -> None:
        new = self.events[self._written :]
        try:
            await asyncio.to_thread(self._store.append, self.run, new, self.owner)
        except StoreError:
            log.exception("Events of run %s could not be stored; they are tried again", self.run)
        else:
            self._written += len(new)
