"""One writer per corpus at a time, across processes and machines."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from core.corpora.catalogue import Catalogue

P = ParamSpec("P")
T = TypeVar("T")

HOLD_SECONDS = 15.0
"""How long a killed writer keeps others waiting. Renewed every third of it."""
_POLL_SECONDS = 0.2


@asynccontextmanager
async def writing(catalogue: Catalogue, corpus: str) -> AsyncIterator[str]:
    """Wait until nobody else writes to the corpus with this id, then be its writer.

    Yields:
        The name under which it is held, for `Catalogue.finish`.

    Raises:
        StoreError: The corpus is deleted meanwhile.
    """
    writer = uuid.uuid4().hex
    while not await uninterrupted(catalogue.hold, corpus, writer, HOLD_SECONDS):
        await asyncio.to_thread(catalogue.version, corpus)
        await asyncio.sleep(_POLL_SECONDS)
    keeper = asyncio.create_task(_keep(catalogue, corpus, writer))
    try:
        yield writer
    finally:
        keeper.cancel()
        await uninterrupted(catalogue.release, corpus, writer)


async def uninterrupted(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread; if cancelled meanwhile, let it end first.

    A thread cannot be stopped: without this, a cancelled write would still land after its clean-up.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def _keep(catalogue: Catalogue, corpus: str, writer: str) -> None:
    while True:
        await asyncio.sleep(HOLD_SECONDS / 3)
        # Lost or not: `finish` refuses the work of one who is not the writer any more.
        await asyncio.to_thread(catalogue.hold, corpus, writer, HOLD_SECONDS)
