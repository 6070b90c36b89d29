"""Checkpoints on a PostgreSQL server, written by many runs of many processes at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from typing import Any, cast

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg import AsyncConnection, AsyncCursor, Error, OperationalError
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from core.database import CHECKPOINTS_LOCK, unreachable
from core.errors import StoreError

MAX_CONNECTIONS = 8
"""Checkpoints written at the same moment; each takes a few milliseconds."""
WAIT_SECONDS = 15.0
"""How long a run waits for one of them, as while the server restarts."""
SETUP_SECONDS = 60.0


@asynccontextmanager
async def open_server(
    arguments: Mapping[str, Any], serializer: SerializerProtocol
) -> AsyncIterator[AsyncPostgresSaver]:
    """A checkpointer on this server, with what psycopg connects with; its tables are made where they are missing.

    Raises:
        StoreError: The server does not answer.
    """
    connecting = {**arguments, "autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    with _errors():
        await _set_up(connecting)
    pool = AsyncConnectionPool[AsyncConnection[DictRow]](
        kwargs=connecting,
        min_size=1,
        max_size=MAX_CONNECTIONS,
        timeout=WAIT_SECONDS,
        check=AsyncConnectionPool.check_connection,
        name="checkpoints",
        open=False,
    )
    async with pool:
        yield _Saver(pool, serde=serializer)


class _Saver(AsyncPostgresSaver):
    """Uses as many connections as there are, and says what went wrong in one sentence."""

    def __init__(
        self, pool: AsyncConnectionPool[AsyncConnection[DictRow]], serde: SerializerProtocol
    ) -> None:
        super().__init__(pool, serde=serde)
        # Its own lock lets one statement run at a time, which a single connection would need.
        self.lock = cast("asyncio.Lock", nullcontext())

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        with _errors():
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor


async def _set_up(connecting: Mapping[str, Any]) -> None:
    """Make the tables, in one process at a time: they are built up by steps that must not be taken twice."""
    connection: AsyncConnection[DictRow]
    try:
        connection = await AsyncConnection.connect(**connecting)
    except OperationalError as error:
        raise unreachable(error) from None
    async with connection:  # closing it lets the lock go
        give_up = time.monotonic() + SETUP_SECONDS
        # Asked for again and again: building an index waits for every statement under way, and so for one
        # that waits for the lock.
        while not await _locked(connection):
            if time.monotonic() > give_up:
                raise StoreError(
                    "Another process has been making tables in the database for more than a minute. "
                    "Wait for it or end it, then try again."
                )
            await asyncio.sleep(0.1)
        await AsyncPostgresSaver(connection).setup()


async def _locked(connection: AsyncConnection[DictRow]) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS locked", [CHECKPOINTS_LOCK])
    row = await cursor.fetchone()
    return row is not None and bool(row["locked"])


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except Error as error:
        raise StoreError(
            f"The state after a step cannot be kept in the database ({type(error).__name__}). "
            "Check that the database server runs; then ask again."
        ) from error
