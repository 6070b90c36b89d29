"""Rows that belong to somebody."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.errors import InputError
from core.owned import (
    MAX_NAME,
    LeaseColumns,
    LeasedRows,
    OwnedRow,
    OwnedRows,
    newest_first,
    short_name,
    shown_to,
)


class Base(DeclarativeBase):
    """Metadata of the tables below."""


class Row(OwnedRow, Base):
    """A row with an owner."""

    __tablename__ = "rows"


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


class HeldBase(DeclarativeBase):
    """Metadata of the table below."""


class HeldRow(HeldBase):
    """A row that is store."""

    __tablename__ = "rows"

    key: Mapped[str] = mapped_column(primary_key=True)
    by: Mapped[str] = mapped_column(default="")
    till: Mapped[float] = mapped_column(default=0.0)


class HeldStore(LeasedRows):
    """The store of them."""

    tables = HeldBase.metadata
    lease = LeaseColumns(HeldRow.key, HeldRow.by, HeldRow.till)

    def version(self, target: str, /) -> int:
        """Always the first one."""
        return 1


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HeldStore]:
    store = HeldStore(f"sqlite:///{tmp_path / 'x.sqlite'}")
    with store.session() as session:
        session.add_all([HeldRow(key="a"), HeldRow(key="b")])
    yield store
    store.close()


def test_one_writer_at_a_time(store: HeldStore) -> None:
    assert store.hold("a", "one", 60)
    assert store.hold("a", "one", 60), "whoever holds a row may hold it longer"
    assert not store.hold("a", "two", 60)
    assert store.hold("b", "two", 60), "another row is free"
    assert not store.hold("gone", "one", 60)


def test_a_row_is_free_when_its_time_is_over_or_its_writer_lets_go(store: HeldStore) -> None:
    assert store.hold("a", "one", -1)
    assert store.hold("a", "two", 60)
    store.release("a", "one")  # no longer its own
    assert not store.hold("a", "one", 60)
    store.release("a", "two")
    assert store.hold("a", "one", 60)


def test_who_holds_a_row_is_a_condition(store: HeldStore) -> None:
    store.hold("a", "one", 60)
    store.hold("b", "two", 60)
    with store.session() as session:
        assert session.scalars(select(HeldRow.key).where(store.holds("a", "one"))).all() == ["a"]
        assert session.scalars(select(HeldRow.key).where(store.holds("b", "one"))).all() == []


def test_of_many_at_once_one_wins(store: HeldStore) -> None:
    writers = [f"writer {number}" for number in range(8)]
    with ThreadPoolExecutor(len(writers)) as threads:
        won = list(threads.map(lambda writer: store.hold("a", writer, 60), writers))
    assert sorted(won) == [False] * 7 + [True]
