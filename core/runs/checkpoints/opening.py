"""Checkpoints after each step, kept so that a run can be forked or continued after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from core.database import postgres_arguments
from core.home import make_file, make_home
from core.runs.checkpoints.values import Serializer

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver


@asynccontextmanager
async def open_checkpoints(home: Path, database: str = "") -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A checkpointer: in the database if that is on a PostgreSQL server, else in a SQLite file of its own.

    Args:
        home: Folder for the file.
        database: SQLAlchemy URL of catalogue and runs.

    Raises:
        StoreError: The server does not answer.
    """
    arguments = None
    if database and not database.startswith("sqlite"):
        arguments = postgres_arguments(database)
    if arguments is None:
        async with open_file(home, Serializer()) as saver:
            yield saver
    else:
        from core.runs.checkpoints.postgres import open_server  # its driver is needed with a server only

        async with open_server(arguments, Serializer()) as server:
            yield server


T = TypeVar("T")


@asynccontextmanager
async def open_file(home: Path, serializer: SerializerProtocol) -> AsyncIterator[AsyncSqliteSaver]:
    """A checkpointer on `home/checkpoints.sqlite`, which is made where it is missing."""
    file = home / "checkpoints.sqlite"
    await asyncio.to_thread(make_home, home)
    await asyncio.to_thread(make_file, file)
    async with aiosqlite.connect(file) as connection:
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000"):
            await connection.execute(f"PRAGMA {pragma}")
        saver = _Saver(connection, serde=serializer)
        await saver.setup()
        try:
            yield saver
        finally:
            await saver.written()


class _Saver(AsyncSqliteSaver):
    """Finishes what it has begun to write.

    A run that is stopped between a write and its commit would leave the transaction open, and with it the file locked
    for every other process, until this one wrote again. So would a connection that is closed between the two: SQLite
    keeps it as long as a cursor on it lives.
    """

    def __init__(self, connection: aiosqlite.Connection, *, serde: SerializerProtocol) -> None:
        super().__init__(connection, serde=serde)
        self._writing: set[asyncio.Future[Any]] = set()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await self._finished(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self._finished(super().aput_writes(config, writes, task_id, task_path))

    async def written(self) -> None:
        """Wait for what is being written; a stop meanwhile does not cut it short."""
        while self._writing:
            with suppress(asyncio.CancelledError):
                await asyncio.wait(self._writing)

    async def _finished(self, write: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(write)
        self._writing.add(task)  # the loop itself holds tasks only weakly
        task.add_done_callback(self._writing.discard)
        return await asyncio.shield(task)
