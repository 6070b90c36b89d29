"""The one SQL database of catalogue and runs, by SQLAlchemy: a SQLite file, or a server for several processes."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    MetaData,
    Select,
    create_engine,
    event,
    func,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.schema import CreateColumn

from core.errors import StoreError
from core.settings import make_file, make_home

V = TypeVar("V", bound="Fields")
CONNECT_SECONDS = 5
"""How long a database server may take to accept a connection before the user is told."""
POOL_SIZE = 4
POOL_OVERFLOW = 4
"""Connections on top of these under load; PostgreSQL allows 100 in all, for every process of the deployment."""
_POOL_SECONDS = 15
_LOCKED_SECONDS = 10
"""How long a SQLite file that another program holds is waited for."""
_TABLES_LOCK, _ALONE_LOCK, CHECKPOINTS_LOCK = 7_203_117_001, 7_203_117_002, 7_203_117_003
"""Any numbers that no other program locks in the same database, one for each purpose."""
_writers: dict[str, threading.Lock] = {}
"""By SQLite file, the turn to write to it; for all stores of this process."""
_SERVER: dict[str, Any] = {
    "application_name": "rag-loupe",
    "connect_timeout": CONNECT_SECONDS,
    "tcp_user_timeout": 10_000,  # milliseconds; without it, a server that was unplugged is waited for minutes
}


def open_engine(database: str) -> Engine:
    """An engine for this SQLAlchemy URL; a SQLite file and its folder are made where they are missing.

    Raises:
        StoreError: The URL is not usable.
    """
    url = _parse(database)
    with store_errors():
        if url.get_backend_name() == "postgresql":
            engine = create_engine(
                url,
                pool_pre_ping=True,
                pool_size=POOL_SIZE,
                max_overflow=POOL_OVERFLOW,
                pool_timeout=_POOL_SECONDS,
                connect_args={key: value for key, value in _SERVER.items() if key not in url.query},
            )
            event.listen(engine, "connect", _configure_postgres)
            return engine
        if url.get_backend_name() != "sqlite":
            return create_engine(url, pool_pre_ping=True)
        if url.database and not url.database.startswith((":memory:", "file:")):
            make_home(Path(url.database).parent)
            make_file(Path(url.database))
        engine = create_engine(url, connect_args={"timeout": _LOCKED_SECONDS})
    event.listen(engine, "connect", _configure_sqlite)
    _take_turns(engine, _writers.setdefault(url.database or "", threading.Lock()))
    return engine


def postgres_arguments(database: str) -> dict[str, Any] | None:
    """The arguments with which psycopg connects, if this URL is one of PostgreSQL; they hold the password.

    Raises:
        StoreError: The URL is not usable.
    """
    url = _parse(database)
    if url.get_backend_name() != "postgresql":
        return None
    with store_errors():
        _, arguments = url.get_dialect()().create_connect_args(url)
    return {**_SERVER, **arguments}


def make_tables(engine: Engine, tables: MetaData) -> None:
    """Make the tables that are missing, and the columns that an earlier version did not have.

    Raises:
        StoreError: The database cannot be written.
    """
    with store_errors():
        if engine.dialect.name == "postgresql":
            with engine.begin() as connection:
                # "If it does not exist" is no protection there: two processes at once would collide.
                connection.execute(select(func.pg_advisory_xact_lock(_TABLES_LOCK)))
                tables.create_all(connection)
        else:
            for _ in tables.tables:  # others may be making them at the same moment, and win with each of them
                try:
                    tables.create_all(engine)
                    break
                except (OperationalError, IntegrityError) as error:
                    if _locked(error):  # waited for long enough
                        raise
            else:
                tables.create_all(engine)
        _add_columns(engine, tables)


def _add_columns(engine: Engine, tables: MetaData) -> None:
    """Columns that are new need a server default, and are then, with longer texts, all it takes to open an older
    database. SQLite takes texts of any length."""
    for table in tables.tables.values():
        there = {column["name"]: column["type"] for column in inspect(engine).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                declared = CreateColumn(column).compile(dialect=engine.dialect)
                change = f"ADD COLUMN {declared}"
            elif engine.dialect.name == "postgresql" and _length(column.type) > _length(there[column.name]):
                change = f"ALTER COLUMN {column.name} TYPE {column.type.compile(engine.dialect)}"
            else:
                continue
            with suppress(OperationalError, ProgrammingError), engine.begin() as connection:
                # Fails where another process was quicker.
                connection.execute(text(f"ALTER TABLE {table.name} {change}"))


def _length(kind: Any) -> int:
    """Most characters of a column of this type; 0: no type with a limit."""
    return getattr(kind, "length", None) or 0


def alone(session: Session) -> None:
    """First statement of a transaction that looks and then writes: it waits until no other such one is under way."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(_ALONE_LOCK)))
    else:
        session.execute(text("BEGIN IMMEDIATE"))


@contextmanager
def store_errors(passed: type[DBAPIError] | tuple[()] = ()) -> Iterator[None]:
    """Turn what goes wrong inside into a StoreError, but for what the caller wants to know itself."""
    try:
        yield
    except passed:
        raise
    except DBAPIError as error:
        if error.statement is None and type(error.orig).__module__.startswith("psycopg"):
            # Not chained: a password typed with an @ in it is in the name of the host, and the text names that.
            raise unreachable(error.orig) from None
        raise _broken(error) from error
    except (SQLAlchemyError, OSError, ImportError) as error:
        raise _broken(error) from error


class Store:
    """A store in one database. Every method raises `StoreError` when the database cannot be used."""

    tables: ClassVar[MetaData]
    """The tables of a subclass."""

    def __init__(self, database: str) -> None:
        """Open the one with this SQLAlchemy URL, and make the tables that are missing."""
        self.engine = open_engine(database)
        self._sessions = sessionmaker(self.engine)
        make_tables(self.engine, self.tables)

    def close(self) -> None:
        """Give back the connections."""
        self.engine.dispose()

    @contextmanager
    def session(self, passed: type[DBAPIError] | tuple[()] = ()) -> Iterator[Session]:
        """A transaction: everything in it is there afterwards, or nothing. What goes wrong is raised as `StoreError`,
        but for the kind `passed`, which is raised as it is."""
        with store_errors(passed), self._sessions.begin() as session:
            yield session


class Fields(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def value_of(kind: type[V], row: object, **others: object) -> V:
    """A value of a dataclass: from the columns of a row that are named like its fields, with times in UTC.

    Args:
        others: The fields that are something else than a column.
    """
    names = [field.name for field in fields(kind) if field.name not in others and hasattr(row, field.name)]
    columns = {name: getattr(row, name) for name in names}
    times = {name: at.replace(tzinfo=UTC) for name, at in columns.items() if isinstance(at, datetime)}
    return kind(**columns | times | others)


class Lookup:
    """One value by one statement that is made once; takes half the time that SQLAlchemy's own execution takes."""

    def __init__(self, engine: Engine, statement: Select[Any]) -> None:
        self._engine = engine
        self._statement = statement
        compiled = statement.compile(engine)
        self._sql = str(compiled)
        self._order = compiled.positiontup if compiled.positional else None

    def __call__(self, **values: Any) -> Any:
        """The first column of the first row, or None; the statement's parameters are given by name.

        Raises:
            StoreError: The database cannot be read.
        """
        with store_errors():
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                cursor.execute(self._sql, [values[name] for name in self._order] if self._order else values)
                row = cursor.fetchone()
            except self._engine.dialect.loaded_dbapi.Error as error:
                raise DBAPIError(None, None, error) from error
            finally:
                connection.close()
        return row[0] if row else None


def unreachable(error: BaseException | None) -> StoreError:
    """The error of a database server that does not let us in."""
    return StoreError(
        f"The database server does not accept a connection ({type(error).__name__}). "
        "Check that it runs, and the address, user and password in DATABASE_URL."
    )


def _locked(error: Exception) -> bool:
    return "database is locked" in str(getattr(error, "orig", ""))


def _broken(error: Exception) -> StoreError:
    if _locked(error):
        return StoreError(
            "Another program holds the database, and does not let go of it. Close that program, then try again."
        )
    # The error's text may hold the database's address with its password: only its kind is shown.
    return StoreError(
        f"The database cannot be read or written ({type(error).__name__}). "
        "Check DATABASE_URL, and that the disk is writable and not full."
    )


def _parse(database: str) -> URL:
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):  # not chained: what it could not read may be the password
        raise StoreError(
            "DATABASE_URL is not an address of a database. It looks like "
            "postgresql://user:password@host/database, with %40 for an @ in the password."
        ) from None
    if url.get_backend_name() in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg")
    return url


def _configure_sqlite(connection: Any, _record: object) -> None:
    # WAL lets pages read while documents are being added; with it, NORMAL is safe against a kill.
    end = time.monotonic() + _LOCKED_SECONDS
    while True:
        try:
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}")
            return
        except sqlite3.OperationalError as error:  # it does not wait itself while others make a new file WAL
            if "locked" not in str(error) or time.monotonic() >= end:
                raise
            time.sleep(0.02)


def _take_turns(engine: Engine, writer: threading.Lock) -> None:
    """Let one transaction of this process write to a SQLite file at a time, the others wait in a row.

    SQLite itself has whoever finds the file locked sleep and look again, up to a tenth of a second at a time, and who
    came last may well be next: with thirty runs and a hundred votes some waited for seconds. A lock that is not free in
    time is SQLite's to sort out, as with other processes.
    """
    writing: set[int] = set()
    """The thread whose turn it is."""

    def take(_: Connection, __: object, statement: str, ___: object, context: Any, ____: object) -> None:
        writes = context.isinsert or context.isupdate or context.isdelete or statement.startswith("BEGIN")
        thread = threading.get_ident()
        if writes and thread not in writing and writer.acquire(timeout=_LOCKED_SECONDS):
            writing.add(thread)

    def leave(*_: object) -> None:
        if (thread := threading.get_ident()) in writing:
            writing.remove(thread)
            writer.release()

    event.listen(engine, "before_cursor_execute", take)
    event.listen(engine, "checkin", leave)  # after the end of the transaction, however it ended


def _configure_postgres(connection: Any, _record: object) -> None:
    # Times are kept without a zone; the server would turn those that have one into its own.
    connection.execute("SET TIME ZONE 'UTC'")
    connection.commit()
