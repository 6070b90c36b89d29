"""Locks that processes take in one database."""

from __future__ import annotations

from pathlib import Path

from core import database

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
