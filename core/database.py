"""The one SQL database of catalogue and runs, by SQLAlchemy: a SQLite file, or a server for several processes;
and tables whose rows belong to somebody: to their owner, or for a while to the process that alone may change them.

Waiting for a row that another process holds, and renewing the hold while the work goes on, is in
`core.corpora.writing`.
"""

from __future__ import annotations

import time
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import (
    URL,
    ColumnElement,
    Engine,
    MetaData,
    Select,
    create_engine,
    delete,
    event,
    func,
    inspect,
    make_url,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.orm import InstrumentedAttribute, Session, sessionmaker
from sqlalchemy.schema import CreateColumn

from core.errors import InputError, StoreError
from core.settings import make_file, make_home

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
    """Columns that are new need a server default, and are then all it takes to open an older database."""
    for table in tables.tables.values():
        there = {column["name"] for column in inspect(engine).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                declared = CreateColumn(column).compile(dialect=engine.dialect)
                with suppress(OperationalError, ProgrammingError), engine.begin() as connection:
                    # Fails where another process was quicker.
                    connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))


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
        """Open it, and make the tables that are missing.

        Args:
            database: SQLAlchemy URL.
        """
        self.engine = open_engine(database)
        self._sessions = sessionmaker(self.engine)
        make_tables(self.engine, self.tables)

    def close(self) -> None:
        """Give back the connections."""
        self.engine.dispose()

    @contextmanager
    def session(self, passed: type[DBAPIError] | tuple[()] = ()) -> Iterator[Session]:
        """A transaction: everything in it is there afterwards, or nothing.

        Args:
            passed: What goes wrong is raised as StoreError, but for this kind, which is raised as it is.
        """
        with store_errors(passed), self._sessions.begin() as session:
            yield session


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
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _configure_postgres(connection: Any, _record: object) -> None:
    # Times are kept without a zone; the server would turn those that have one into its own.
    connection.execute("SET TIME ZONE 'UTC'")
    connection.commit()


MAX_NAME = 200
"""Characters of a name that an owner gives to a row."""


class OwnedRows(Store):
    """A store with a table of owned rows: listed for their owner, and for everybody once they are pinned."""

    row: ClassVar[Any]
    """Of a subclass: the mapped class, with the columns id, owner, created, name and pinned."""
    parts: ClassVar[tuple[InstrumentedAttribute[str], ...]] = ()
    """Columns of other tables that name an owned row; their rows are deleted with it."""

    def rename(self, key: str, name: str) -> None:
        """Give the row with this id another name.

        Raises:
            InputError: The name is unfit (see `checked_name`).
        """
        self._change(key, name=self.checked_name(name))

    def pin(self, key: str, pinned: bool) -> None:
        """Show the row with this id to everybody, or no longer."""
        self._change(key, pinned=pinned)

    def delete(self, key: str) -> None:
        """Forget the row with this id and its parts; one that is not there is no error."""
        with self.session() as session:
            for column in (*self.parts, self.row.id):
                session.execute(delete(column.class_).where(column == key))

    def stored_by(self, owner: str) -> int:
        """Number of bytes that the rows of an owner take; of a subclass whose rows have the column bytes."""
        with self.session() as session:
            query = select(func.coalesce(func.sum(self.row.bytes), 0)).where(self.row.owner == owner)
            return int(session.scalar(query) or 0)

    def _change(self, key: str, **values: object) -> None:
        """Write these columns of the row with this id."""
        with self.session() as session:
            session.execute(update(self.row).where(self.row.id == key).values(values))

    def checked_name(self, name: str) -> str:
        """A name as it is stored; an empty one takes the name away.

        Raises:
            InputError: It is too long.
        """
        return short_name(name)


def shown_to(row: Any, owners: Collection[str]) -> ColumnElement[bool]:
    """Condition that a row of this mapped class is of one of these owners, or pinned."""
    return or_(row.owner.in_(owners), row.pinned)


def newest_first(row: Any) -> Select[Any]:
    """All rows of this mapped class, pinned ones before all, then the newest first."""
    return select(row).order_by(row.pinned.desc(), row.created.desc())


def short_name(name: str) -> str:
    """A name in one line, without characters that no database takes or that turn the reading direction.

    Raises:
        InputError: It is too long.
    """
    name = " ".join("".join(" " if _unfit(character) else character for character in name).split())
    if len(name) > MAX_NAME:
        raise InputError(f"A name must have at most {MAX_NAME} characters.")
    return name


def _unfit(character: str) -> bool:
    turns = "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069"
    return turns or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


@dataclass(frozen=True)
class LeaseColumns:
    """Columns of one table that say who holds a row."""

    id: InstrumentedAttribute[str]
    writer: InstrumentedAttribute[str]
    """The process that holds it; empty: none does."""
    until: InstrumentedAttribute[float]
    """Seconds since the epoch; after that the row is free, whoever held it."""


class LeasedRows(Store, ABC):
    """A store with a table whose rows one process or machine at a time may change."""

    lease: ClassVar[LeaseColumns]
    """The columns of a subclass."""

    @abstractmethod
    def version(self, target: str, /) -> int:
        """The version of the row with this id; raises an error if it was deleted."""

    def hold(self, target: str, writer: str, seconds: float) -> bool:
        """Become, or stay, the only writer of the row with this id.

        Args:
            target: Its id.
            writer: Name of the process that asks; any that no other one uses.
            seconds: How long it is held unless this is called again.

        Returns:
            Whether it is; False: another process holds it, or there is no such row.
        """
        now = time.time()
        free = self.lease.writer.in_(["", writer]) | (self.lease.until < now)
        change = update(self.lease.id.class_).where(self.lease.id == target, free)
        values = {self.lease.writer: writer, self.lease.until: now + seconds}
        with self.session() as session:
            return session.execute(change.values(values).returning(self.lease.id)).first() is not None

    def release(self, target: str, writer: str) -> None:
        """Let others hold the row, if this writer still does."""
        change = update(self.lease.id.class_).where(self.holds(target, writer))
        with self.session() as session:
            session.execute(change.values({self.lease.writer: "", self.lease.until: 0.0}))

    def holds(self, target: str, writer: str) -> ColumnElement[bool]:
        """Condition that the row with this id is held by this writer."""
        return (self.lease.id == target) & (self.lease.writer == writer)
