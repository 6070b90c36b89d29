"""One writer per corpus, or per graph, at a time, across processes and machines."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from core.errors import InputError
from core.owned import LeasedRows

P = ParamSpec("P")
T = TypeVar("T")

HOLD_SECONDS = 15.0
"""Time after which the hold of a killed writer ends. A writer renews its hold three times as often."""
_POLL_SECONDS = 0.2


_BUSY = "Documents are being added to this corpus at the moment. Wait until that has ended, or stop it."


@asynccontextmanager
async def writing(
    catalogue: LeasedRows, corpus: str, patience: float | None = None, busy: str = _BUSY
) -> AsyncIterator[str]:
    """Wait until nobody else writes to the corpus with this id, then be its writer.

    At most `patience` seconds are waited, without a limit where that is None; `busy` is the message when they are over.

    Yields:
        The name under which it is held, for `Catalogue.finish`.

    Raises:
        CorpusDeleted: The corpus is deleted meanwhile.
        InputError: Somebody else is still writing when patience ends.
    """
    writer = uuid.uuid4().hex
    started = time.monotonic()
    keeper: asyncio.Task[None] | None = None
    try:
        while not await uninterrupted(catalogue.hold, corpus, writer, HOLD_SECONDS):
            await asyncio.to_thread(catalogue.version, corpus)
            if patience is not None and time.monotonic() - started > patience:
                raise InputError(busy)
            await asyncio.sleep(_POLL_SECONDS)
        keeper = asyncio.create_task(_keep(catalogue, corpus, writer))
        yield writer
    finally:
        # Also after a cancellation at the moment of becoming the writer; a hold of somebody else is left alone.
        await to_its_end(_let_go(catalogue, corpus, writer, keeper))


async def uninterrupted(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread; a cancellation takes effect when the work has ended.

    A thread cannot be stopped: without this, a cancelled write would still land after its clean-up.
    """
    return await to_its_end(asyncio.to_thread(work, *args, **kwargs))


async def to_its_end(work: Awaitable[T]) -> T:
    """Wait for `work` to end, however often this is cancelled meanwhile; the cancellation goes on after that."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not warn about it
        raise cancelled
    return task.result()


async def _let_go(catalogue: LeasedRows, corpus: str, writer: str, keeper: asyncio.Task[None] | None) -> None:
    if keeper is not None:
        keeper.cancel()
        await asyncio.wait([keeper])  # a renewal under way must not land after the release
    await asyncio.to_thread(catalogue.release, corpus, writer)


async def _keep(catalogue: LeasedRows, corpus: str, writer: str) -> None:
    while True:
        await asyncio.sleep(HOLD_SECONDS / 3)
        # Even if the hold is lost, `finish` refuses work of a former writer.
        await uninterrupted(catalogue.hold, corpus, writer, HOLD_SECONDS)
