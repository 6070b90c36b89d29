"""No table is forgotten: each goes with something that belongs to somebody, or says why it does not."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from sqlalchemy import Table
from sqlalchemy.orm import DeclarativeBase

import core
from core.classroom.belongings import EXEMPT, KINDS

PERSONS = {"owner", "member"}
"""Columns that name somebody."""


def tables() -> Iterator[Table]:
    """The tables of the app. Pages have none."""
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if not module.name.startswith(("core.ui", "core.cli", "core.__main__")):
            importlib.import_module(module.name)
    for base in DeclarativeBase.__subclasses__():
        if base.__module__.startswith("core."):
            yield from base.metadata.sorted_tables


def of_somebody(table: Table) -> bool:
    """True if a table, or one that it refers to, names somebody."""
    referred = (key.column.table for key in table.foreign_keys)
    return bool(PERSONS & set(table.columns.keys())) or any(map(of_somebody, referred))


def test_every_table_is_deleted_with_something_or_exempt_with_a_reason() -> None:
    deleted = frozenset[str]().union(*(kind.tables for kind in KINDS))
    found = {table.name: table for table in tables()}
    missing = set(found) - deleted - set(EXEMPT)
    assert not missing, "add a kind to KINDS in core/classroom/belongings.py, or a reason to EXEMPT"
    assert (deleted | set(EXEMPT)) <= set(found), "there is no such table any more"
    assert not deleted & set(EXEMPT)
    assert [name for name in EXEMPT if of_somebody(found[name])] == []
    assert all(EXEMPT.values())


def test_names_of_kinds_are_different() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)
