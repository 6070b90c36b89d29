"""The one SQL database of catalogue and runs, by SQLAlchemy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, MetaData, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from core.errors import StoreError


def open_engine(database: str) -> Engine:
    """An engine for this SQLAlchemy URL; a SQLite file and its folder are made where they are missing.

    Raises:
        StoreError: The URL is not usable.
    """
    with store_errors():
        url = make_url(database)
        if url.get_backend_name() != "sqlite":
            return create_engine(url, pool_pre_ping=True)
        if url.database and url.database != ":memory:":
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(url, connect_args={"timeout": 30})
    event.listen(engine, "connect", _configure_sqlite)
    return engine


def make_tables(engine: Engine, tables: MetaData) -> None:
    """Make the tables that are missing, and the columns that an earlier version did not have.

    Raises:
        StoreError: The database cannot be written.
    """
    with store_errors():
        try:
            tables.create_all(engine)
        except (OperationalError, IntegrityError):
            tables.create_all(engine)  # another process was making them at the same moment
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


def _configure_sqlite(connection: Any, _record: object) -> None:
    # WAL lets pages read while documents are being added; with it, NORMAL is safe against a kill.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn what goes wrong inside into a StoreError."""
    try:
        yield
    except (SQLAlchemyError, OSError, ImportError) as error:
        # The error's text may hold the database's address with its password: only its kind is shown.
        raise StoreError(
            f"The database cannot be read or written ({type(error).__name__}). "
            "Check DATABASE_URL, and that the disk is writable and not full."
        ) from error
