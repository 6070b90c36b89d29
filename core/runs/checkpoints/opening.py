"""Checkpoints after each step, kept so that a run can be forked or continued after a restart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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
    from core.runs.checkpoints.values import serializer

    arguments = None
    if database and not database.startswith("sqlite"):
        from core.database import postgres_arguments

        arguments = postgres_arguments(database)
    if arguments is None:
        from core.runs.checkpoints.sqlite_file import open_file

        async with open_file(home, serializer()) as saver:
            yield saver
    else:
        from core.runs.checkpoints.postgres import open_server  # its driver is needed with a server only

        async with open_server(arguments, serializer()) as server:
            yield server


def thread_of(run: str) -> RunnableConfig:
    """A run's checkpoints are LangGraph's thread of the same id."""
    return {"configurable": {"thread_id": run}}
