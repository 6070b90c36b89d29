"""Locks that processes take in one database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core import database
from core.corpora.contexts import ContextLedger
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
