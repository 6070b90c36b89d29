"""No column that says whose a row is was forgotten, and rows go with what they refer to."""

from __future__ import annotations

from core.classroom.erasing import KINDS
from tests.tables import tables

PERSONS = {"owner", "member"}
"""Columns that name somebody."""


def test_every_column_that_names_somebody_is_of_a_kind_or_of_a_row_that_goes_with_one() -> None:
    kinds = {(kind.owner.class_.__tablename__, kind.owner.key) for kind in KINDS}
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    for table in tables():
        for column in PERSONS.intersection(table.columns.keys()):
            with_another = any((key.column.table.name, column) in kinds for key in table.foreign_keys)
            assert (table.name, column) in kinds or with_another, f"add {table.name}.{column} to KINDS"


def test_whatever_refers_to_a_row_goes_with_it() -> None:
    for table in tables():
        assert {key.ondelete for key in table.foreign_keys} <= {"CASCADE"}, table.name
