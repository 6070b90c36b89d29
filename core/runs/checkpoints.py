"""Checkpoints after each step, kept so that a run can be forked or continued after a restart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from core.database import postgres_arguments
from core.knowledge import exploration, records
from core.trace import artefacts, passages
from core.trace.passages import Frozen

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer


@asynccontextmanager
async def open_checkpoints(home: Path, database: str = "") -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A checkpointer: in the database if that is on a PostgreSQL server, else in a SQLite file of its own.

    Args:
        home: Folder for the file.
        database: SQLAlchemy URL of catalogue and runs.

    Raises:
        StoreError: The server does not answer.
    """
    arguments = postgres_arguments(database) if database else None
    if arguments is None:
        from core.runs.file_checkpoints import open_file

        async with open_file(home, _serializer()) as saver:
            yield saver
    else:
        from core.runs.server_checkpoints import open_server  # its driver is needed with a server only

        async with open_server(arguments, _serializer()) as server:
            yield server


def _serializer() -> JsonPlusSerializer:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    from core.strategies import modules

    # Only our own value types may be revived.
    allowed = [
        (module.__name__, name)
        for module in (artefacts, passages, records, exploration, *modules())
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Frozen) and value.__module__ == module.__name__
    ]
    return JsonPlusSerializer(allowed_msgpack_modules=allowed)
