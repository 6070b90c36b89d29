"""Rows that one writer at a time may change."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.owned import HeldRows, HoldColumns


class Base(DeclarativeBase):
    """Metadata of the table below."""


class Row(Base):
    """A row that is held."""

    __tablename__ = "rows"

    key: Mapped[str] = mapped_column(primary_key=True)
    by: Mapped[str] = mapped_column(default="")
    till: Mapped[float] = mapped_column(default=0.0)


class Rows(HeldRows):
    """The store of them."""

    tables = Base.metadata
    held = HoldColumns(Row.key, Row.by, Row.till)


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[Rows]:
    rows = Rows(f"sqlite:///{tmp_path / 'x.sqlite'}")
    with rows.session() as session:
        session.add_all([Row(key="a"), Row(key="b")])
    yield rows
    rows.close()


def test_one_writer_at_a_time(rows: Rows) -> None:
    assert rows.hold("a", "one", 60)
    assert rows.hold("a", "one", 60), "whoever holds a row may hold it longer"
    assert not rows.hold("a", "two", 60)
    assert rows.hold("b", "two", 60), "another row is free"
    assert not rows.hold("gone", "one", 60)


def test_a_row_is_free_when_its_time_is_over_or_its_writer_lets_go(rows: Rows) -> None:
    assert rows.hold("a", "one", -1)
    assert rows.hold("a", "two", 60)
    rows.release("a", "one")  # no longer its own
    assert not rows.hold("a", "one", 60)
    rows.release("a", "two")
    assert rows.hold("a", "one", 60)


def test_who_holds_a_row_is_a_condition(rows: Rows) -> None:
    rows.hold("a", "one", 60)
    rows.hold("b", "two", 60)
    with rows.session() as session:
        assert session.scalars(select(Row.key).where(rows.holds("a", "one"))).all() == ["a"]
        assert session.scalars(select(Row.key).where(rows.holds("b", "one"))).all() == []


def test_of_many_at_once_one_wins(rows: Rows) -> None:
    writers = [f"writer {number}" for number in range(8)]
    with ThreadPoolExecutor(len(writers)) as threads:
        won = list(threads.map(lambda writer: rows.hold("a", writer, 60), writers))
    assert sorted(won) == [False] * 7 + [True]
