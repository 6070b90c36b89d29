"""Checkpoints after each step, on disk, so that a run can be forked or continued after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from core.trace import artefacts, passages
from core.trace.passages import Frozen

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


@asynccontextmanager
async def open_checkpoints(home: Path) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A checkpointer on a SQLite file below the home folder."""
    import aiosqlite
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    # Only our own value types may be revived from disk.
    allowed = [
        (module.__name__, name)
        for module in (artefacts, passages)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Frozen) and value.__module__ == module.__name__
    ]
    await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
    async with aiosqlite.connect(home / "checkpoints.sqlite") as connection:
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000"):
            await connection.execute(f"PRAGMA {pragma}")
        saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=allowed))
        await saver.setup()
        yield saver
