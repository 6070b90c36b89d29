"""The one SQL database of catalogue and runs, by SQLAlchemy."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url


@cache
def database(url: str) -> Engine:
    """The engine for a SQLAlchemy URL, one per process; a SQLite file and its folder are made when missing."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True)
    if parsed.database:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed)
    event.listen(engine, "connect", _tune_sqlite)
    return engine


def _tune_sqlite(connection: Any, _: Any) -> None:
    """Readers and a writer at once, foreign keys on, and patience with another process's write."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
