"""The tables of the app."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from sqlalchemy import Table
from sqlalchemy.orm import DeclarativeBase

import core


def tables() -> Iterator[Table]:
    """All of them, also those that no store has made yet; pages have none."""
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if not module.name.startswith(("core.ui", "core.cli", "core.__main__")):
            importlib.import_module(module.name)
    for base in DeclarativeBase.__subclasses__():
        if base.__module__.startswith("core."):
            yield from base.metadata.sorted_tables
