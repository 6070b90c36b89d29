"""A run under way: its events grow in memory, are written to the store, and outlive the page that asked."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from core.errors import StoreError
from core.jobs import ALIVE_SECONDS, Job
from core.trace.events import Event, StepFinished

if TYPE_CHECKING:
    from core.models.calling import CallBudget
    from core.runs.store import RunStore

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.25
"""How long an event may wait in memory before it is written."""
LAST_TRIES = 8
"""How often the end of a run is tried again while the store cannot be written."""


class RunJob(Job[list[Event]]):
    """One run; its result are its events. Read `events` from any thread: the list only grows."""

    def __init__(
        self,
        run: str,
        events: AsyncIterator[Event],
        store: Callable[[], RunStore],
        owner: str,
        past: Sequence[Event] = (),
    ) -> None:
        """
        Args:
            events: What happens from now on.
            store: Opens what events are written to, with the first of them.
            past: Events of a run that is resumed; they are stored already.
        """
        self.run = run
        """Id of the run."""
        self.owner = owner
        """Session that asked."""
        self.events: list[Event] = list(past)
        self.budget: CallBudget | None = None
        """Its model calls; None: it is being prepared."""
        self._ending = False
        self._begun = threading.Event()
        self._store = store
        self._written = len(past)
        self._last_write = self._last_event = time.monotonic()
        if past:
            self._begun.set()
        super().__init__(self._record(events))

    @property
    def done(self) -> bool:
        """True once the last event is there; it may not be stored yet."""
        return self._ending or super().done

    @property
    def stored(self) -> bool:
        """True once the run has ended and all of it is in the store."""
        return self.done and self._written == len(self.events)

    @property
    def now(self) -> float:
        """Seconds since the run started, on its own clock, which goes on while a model works and nothing happens."""
        last = self.events[-1].at if self.events else 0.0
        return last if self.done else last + time.monotonic() - self._last_event

    @property
    def ahead(self) -> int | None:
        """Number of waiting calls that the model takes before its own; None: it does not wait for the model."""
        return self.budget.ahead if self.budget and not self.done else None

    def wait_for_first_event(self, timeout: float) -> bool:
        """Wait, at most `timeout` seconds, for the first event; whether there is one."""
        return self._begun.wait(timeout)

    async def _record(self, events: AsyncIterator[Event]) -> list[Event]:
        """Keep what happens, until all of it is stored."""
        wake = asyncio.Event()
        # A first model call goes out before the store is opened for what came before it.
        writer = asyncio.create_task(self._keep_writing(wake)) if self.events else None
        try:
            async for event in events:
                self._last_event = time.monotonic()
                self.events.append(event)
                self._begun.set()
                writer = writer or asyncio.create_task(self._keep_writing(wake))
                if isinstance(event, StepFinished):
                    wake.set()  # its checkpoint is written now, and a resumed run needs both
        finally:
            self._ending = True
            wake.set()
            # A stop that comes too late must not stop the last write.
            while writer is not None and not writer.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.shield(writer)
        return self.events

    async def _keep_writing(self, wake: asyncio.Event) -> None:
        """The only one that writes, so that batches reach the store whole and in order."""
        while not self._ending:
            with suppress(TimeoutError):
                await asyncio.wait_for(wake.wait(), FLUSH_SECONDS)
            wake.clear()
            await self._write()
        for _ in range(LAST_TRIES):
            await self._write()
            if self.stored:
                return
            await asyncio.sleep(FLUSH_SECONDS)

    async def _write(self) -> None:
        new = self.events[self._written :]
        if not new and time.monotonic() - self._last_write < ALIVE_SECONDS / 3:
            return
        try:
            if new:
                await asyncio.to_thread(lambda: self._store().append(self.run, new, self.owner))
            elif self._written:
                await asyncio.to_thread(lambda: self._store().keep_alive(self.run))
            self._last_write = time.monotonic()
        except StoreError:
            log.exception("Events of run %s could not be stored; they are tried again", self.run)
        else:
            self._written += len(new)
