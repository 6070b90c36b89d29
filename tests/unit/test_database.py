"""Locks that processes take in one database."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, func, insert, select

from core import database
from core.corpora.contexts import ContextLedger
from core.database import Store
from core.errors import StoreError

CORE = Path(database.__file__).parent
BEGINNING = "7_203_117"
"""What the numbers of all our locks begin with."""


def test_every_purpose_has_a_lock_of_its_own() -> None:
    """A number used twice lets one purpose wait for the other, and both for ever."""
    locks = [value for name, value in vars(database).items() if name.endswith("_LOCK")]
    assert len(locks) >= 3
    assert len(set(locks)) == len(locks)


def test_all_their_numbers_are_in_one_place() -> None:
    assert [file.name for file in CORE.rglob("*.py") if BEGINNING in file.read_text("utf-8")] == [
        "database.py"
    ]


def test_a_database_that_another_program_holds_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []
    monkeypatch.setattr(database, "_LOCKED_SECONDS", 0)
    file = tmp_path / "runs.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("CREATE TABLE theirs (id INTEGER)")
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(database, "_add_columns", lambda *_: waits.append(1))
        with pytest.raises(StoreError, match="Another program holds the database"):
            ContextLedger(f"sqlite:///{file}")
        assert not waits
        other.execute("COMMIT")
    ContextLedger(f"sqlite:///{file}").close()


class Numbers(Store):
    """A store of one table."""

    tables = MetaData()
    number = Table("numbers", tables, Column("value", Integer))


def test_one_transaction_of_a_process_writes_to_a_file_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "numbers.sqlite"
    stores = [Numbers(f"sqlite:///{file}") for _ in range(2)]
    turn = database._writers[str(file)]

    def write(store: Numbers, value: float = 1) -> None:
        with store.session() as session:
            session.execute(insert(Numbers.number).values(value=1))
            assert turn.locked()
            assert 1 / value

    with stores[0].session() as session:
        assert session.scalars(select(Numbers.number.c.value)).all() == []
        assert not turn.locked(), "to read takes no turn"
    with pytest.raises(ZeroDivisionError):
        write(stores[0], 0)
    assert not turn.locked()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, stores * 20))
    assert not turn.locked()
    with stores[1].session() as session:
        assert session.scalar(select(func.count()).select_from(Numbers.number)) == 40
