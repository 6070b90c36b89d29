"""The tables of the app."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Table
from sqlalchemy.orm import DeclarativeBase

CORE = Path(__file__).parents[1] / "core"


def tables() -> Iterator[Table]:
    """All of them, also those that no store has made yet."""
    for file in CORE.rglob("*.py"):
        if "(DeclarativeBase)" in file.read_text(encoding="utf-8"):
            importlib.import_module(".".join(("core", *file.relative_to(CORE).with_suffix("").parts)))
    for base in DeclarativeBase.__subclasses__():
        if base.__module__.startswith("core."):
            yield from base.metadata.sorted_tables
