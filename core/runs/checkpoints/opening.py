"""Checkpoints after each step, kept so that a run can be forked or continued after a restart."""

from __future__ import annotations

import asyncio
import importlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import aiosqlite
import ormsgpack
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from core.batching import Batcher
from core.database import postgres_arguments
from core.settings import make_file, make_home
from core.trace import artefacts
from core.trace.passages import Frozen

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


@asynccontextmanager
async def open_checkpoints(home: Path, database: str = "") -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A checkpointer: in the database with this SQLAlchemy URL if that is on a PostgreSQL server, else in a SQLite file
    of its own in the home.

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
    async with _Connection(lambda: sqlite3.connect(file), iter_chunk_size=64) as connection:
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000"):
            await connection.execute(f"PRAGMA {pragma}")
        saver = _Saver(connection, serde=serializer)
        await saver.setup()
        try:
            yield saver
        finally:
            await saver.written()


class _Connection(aiosqlite.Connection):
    """Commits what several runs wrote at once.

    A commit for each of seven writes of a run, one after the other and each with its waits for a thread, made runs wait
    for seconds where two began a second.
    """

    def __init__(self, connector: Callable[[], sqlite3.Connection], iter_chunk_size: int) -> None:
        super().__init__(connector, iter_chunk_size)
        self._together: Batcher[None, None] = Batcher(self._commit, one_at_a_time=True)

    async def commit(self) -> None:
        """Commit all that was written so far, with all who ask meanwhile."""
        await self._together(None)

    async def _commit(self, asked: list[None]) -> list[None]:
        await super().commit()
        return asked


class _Saver(AsyncSqliteSaver):
    """Finishes what it has begun to write. Each write is one statement, so that those of several runs may mix.

    A run that is stopped between a write and its commit would leave the transaction open, and with it the file locked
    for every other process, until this one wrote again. So would a connection that is closed between the two: SQLite
    keeps it as long as a cursor on it lives.
    """

    def __init__(self, connection: aiosqlite.Connection, *, serde: SerializerProtocol) -> None:
        super().__init__(connection, serde=serde)
        # The base class's own has one write wait for the commit of another.
        self.lock = cast("asyncio.Lock", nullcontext())
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


class ClassName(NamedTuple):
    """Where a class is found, as checkpoints name it."""

    module: str
    name: str


def _class_name(kind: type) -> ClassName:
    return ClassName(kind.__module__, kind.__name__)


_CHAINS, _RECORDS = "core.knowledge.explore.chains", "core.knowledge.records"
_AGENTIC = "core.strategies.agentic_state"
FORMER = {
    ClassName("core.knowledge.exploration", "Chain"): ClassName(_CHAINS, "Chain"),
    ClassName("core.knowledge.exploration", "Hop"): ClassName(_RECORDS, "Hop"),
    ClassName("core.knowledge.exploration", "Link"): ClassName(_RECORDS, "Link"),
    ClassName("core.strategies.agentic_nodes", "Asked"): ClassName(_AGENTIC, "ReadyQuestion"),
    ClassName("core.strategies.agentic_nodes", "Request"): ClassName(_AGENTIC, "Request"),
    **{  # all artefacts were in one module
        ClassName(artefacts.__name__, value.__name__): _class_name(value)
        for value in vars(artefacts).values()
        if isinstance(value, type) and issubclass(value, Frozen)
    },
    ClassName("core.trace.artefacts", "Passages"): _class_name(artefacts.HypotheticalDocuments),
    ClassName("core.trace.artefacts", "Path"): _class_name(artefacts.GraphPath),
    ClassName("core.trace.artefacts", "Union"): _class_name(artefacts.PooledRanking),
}
"""Class names in checkpoints that were written before the class was moved or renamed."""
_OPTION = ormsgpack.OPT_NON_STR_KEYS
_FORMER_BYTES = [ormsgpack.packb(former.module) + ormsgpack.packb(former.name) for former in FORMER]
"""How the names stand in a checkpoint, one behind the other: most checkpoints hold none and stay as they are."""


class Serializer(JsonPlusSerializer):
    """Writes the values of checkpoints, and revives them, also by the former names of their classes: only our own value
    types, whose modules are imported when the first one is revived."""

    @cached_property
    def _reader(self) -> JsonPlusSerializer:
        from core.strategies import modules

        shared = map(importlib.import_module, (artefacts.__name__, Frozen.__module__, _RECORDS, _CHAINS))
        values = (value for module in (*shared, *modules()) for value in vars(module).values())
        own = [_class_name(kind) for kind in values if isinstance(kind, type) and issubclass(kind, Frozen)]
        return JsonPlusSerializer(allowed_msgpack_modules=own)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value, made of the classes of today."""
        kind, content = data
        if kind == "msgpack" and any(former in content for former in _FORMER_BYTES):
            content = _renamed(content)
        return self._reader.loads_typed((kind, content))


def _renamed(content: bytes) -> bytes:
    """The same content with the present names of classes instead of former ones."""
    return ormsgpack.packb(
        ormsgpack.unpackb(content, ext_hook=_renamed_value, option=_OPTION), option=_OPTION
    )


def _renamed_value(code: int, content: bytes) -> ormsgpack.Ext:
    """An extension value: of most codes a list that begins with module and name of a class."""
    value = ormsgpack.unpackb(content, ext_hook=_renamed_value, option=_OPTION)
    if isinstance(value, list) and len(value) > 1 and all(isinstance(part, str) for part in value[:2]):
        value[:2] = FORMER.get(ClassName(*value[:2]), value[:2])
    return ormsgpack.Ext(code, ormsgpack.packb(value, option=_OPTION))
