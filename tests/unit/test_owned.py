"""Rows that belong to somebody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.errors import InputError
from core.owned import MAX_NAME, OwnedRows, newest_first, short_name, shown_to


class Base(DeclarativeBase):
    """Metadata of the tables below."""


class Row(Base):
    """A row with an owner."""

    __tablename__ = "rows"

    id: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str]
    created: Mapped[datetime]
    name: Mapped[str] = mapped_column(default="")
    pinned: Mapped[bool] = mapped_column(default=False)


class PartRow(Base):
    """A part of one."""

    __tablename__ = "parts"

    row: Mapped[str] = mapped_column(primary_key=True)


class Rows(OwnedRows):
    """The store of them."""

    tables = Base.metadata
    row = Row
    parts = (PartRow.row,)

    def listed(self, owner: str) -> list[str]:
        """Ids of what this owner is shown."""
        with self.session() as session:
            return [row.id for row in session.scalars(newest_first(Row).where(shown_to(Row, [owner])))]


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[Rows]:
    rows = Rows(f"sqlite:///{tmp_path / 'x.sqlite'}")
    with rows.session() as session:
        for day, (key, owner) in enumerate([("a", "me"), ("b", "you"), ("c", "me")], 1):
            session.add_all([Row(id=key, owner=owner, created=datetime(2026, 1, day)), PartRow(row=key)])
    yield rows
    rows.close()


def test_own_rows_are_listed_and_pinned_ones_first(rows: Rows) -> None:
    assert (rows.listed("me"), rows.listed("you")) == (["c", "a"], ["b"])
    rows.pin("a", True)
    assert (rows.listed("me"), rows.listed("you")) == (["a", "c"], ["a", "b"])
    rows.pin("a", False)
    assert rows.listed("you") == ["b"]


def test_a_name_is_one_line_and_not_too_long(rows: Rows) -> None:
    rows.rename("a", "  my\n run ")
    with rows.session() as session:
        assert session.scalars(select(Row.name).order_by(Row.id)).all() == ["my run", "", ""]
    rows.rename("a", "")
    assert short_name("x" * MAX_NAME)
    with pytest.raises(InputError, match="at most 200 characters"):
        rows.rename("a", "x" * (MAX_NAME + 1))


def test_a_deleted_row_takes_its_parts_with_it(rows: Rows) -> None:
    rows.delete("a")
    rows.delete("gone")
    with rows.session() as session:
        assert session.scalars(select(Row.id).order_by(Row.id)).all() == ["b", "c"]
        assert session.scalars(select(PartRow.row).order_by(PartRow.row)).all() == ["b", "c"]
