"""Tables whose rows belong to somebody: to their owner, or for a while to the process that alone may change them.

Waiting for a row that another process holds, and renewing the hold while the work goes on, is in
`core.corpora.writing`.
"""

from __future__ import annotations

import time
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, TypeVar

from sqlalchemy import ColumnElement, Select, String, Text, delete, false, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Mapped, mapped_column

from core.database import Store
from core.errors import InputError

MAX_NAME = 200
"""Characters of a name that an owner gives to a row."""


class OwnedRow:
    """Columns of a table whose rows belong to somebody, and are listed."""

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime] = mapped_column(
        index=True, default=lambda: datetime.now(UTC).replace(tzinfo=None)
    )
    """UTC; without a zone because SQLite keeps none."""
    name: Mapped[str] = mapped_column(Text, server_default="")
    """Given by the owner; empty: another text of the row stands for it."""
    pinned: Mapped[bool] = mapped_column(server_default=false())
    """True if the row is listed for everybody."""


R = TypeVar("R", bound=OwnedRow)


class OwnedRows(Store):
    """A store with a table of owned rows: listed for their owner, and for everybody once they are pinned."""

    row: ClassVar[Any]
    """Of a subclass: its mapped class, an `OwnedRow`."""
    parts: ClassVar[tuple[InstrumentedAttribute[str], ...]] = ()
    """Columns of other tables that name an owned row; their rows are deleted with it."""

    def rename(self, key: str, name: str) -> None:
        """Give the row with this id another name.

        Raises:
            InputError: The name is unfit (see `checked_name`).
        """
        self._change(key, name=self.checked_name(name))

    def pin(self, key: str, pinned: bool) -> None:
        """Show the row with this id to everybody, or no longer."""
        self._change(key, pinned=pinned)

    def delete(self, key: str) -> None:
        """Forget the row with this id and its parts; one that is not there is no error."""
        with self.session() as session:
            for column in (*self.parts, self.row.id):
                session.execute(delete(column.class_).where(column == key))

    def stored_by(self, owner: str) -> int:
        """Number of bytes that the rows of an owner take; of a subclass whose rows have the column bytes."""
        with self.session() as session:
            query = select(func.coalesce(func.sum(self.row.bytes), 0)).where(self.row.owner == owner)
            return int(session.scalar(query) or 0)

    def _change(self, key: str, **values: object) -> None:
        """Write these columns of the row with this id."""
        with self.session() as session:
            session.execute(update(self.row).where(self.row.id == key).values(values))

    def checked_name(self, name: str) -> str:
        """A name as it is stored; an empty one takes the name away.

        Raises:
            InputError: It is too long.
        """
        return short_name(name)


def shown_to(row: type[OwnedRow], owners: Collection[str]) -> ColumnElement[bool]:
    """Condition that a row of this mapped class is of one of these owners, or pinned."""
    return or_(row.owner.in_(owners), row.pinned)


def newest_first(row: type[R]) -> Select[R]:
    """All rows of this mapped class, pinned ones before all, then the newest first."""
    return select(row).order_by(row.pinned.desc(), row.created.desc())


def short_name(name: str) -> str:
    """A name in one line, without characters that no database takes or that turn the reading direction.

    Raises:
        InputError: It is too long.
    """
    name = " ".join("".join(" " if _unfit(character) else character for character in name).split())
    if len(name) > MAX_NAME:
        raise InputError(f"A name must have at most {MAX_NAME} characters.")
    return name


def _unfit(character: str) -> bool:
    turns = "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069"
    return turns or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


@dataclass(frozen=True)
class LeaseColumns:
    """Columns of one table that say who holds a row."""

    id: InstrumentedAttribute[str]
    writer: InstrumentedAttribute[str]
    """The process that holds it; empty: none does."""
    until: InstrumentedAttribute[float]
    """Seconds since the epoch; after that the row is free, whoever held it."""


class LeasedRows(Store, ABC):
    """A store with a table whose rows one process or machine at a time may change."""

    lease: ClassVar[LeaseColumns]
    """The columns of a subclass."""

    @abstractmethod
    def version(self, target: str, /) -> int:
        """The version of the row with this id; raises an error if it was deleted."""

    def hold(self, target: str, writer: str, seconds: float) -> bool:
        """Become, or stay, the only writer of the row with this id; False: another process holds it, or there is no
        such row.

        Args:
            writer: Name of the process that asks; any that no other one uses.
            seconds: How long it is held unless this is called again.
        """
        now = time.time()
        free = self.lease.writer.in_(["", writer]) | (self.lease.until < now)
        change = update(self.lease.id.class_).where(self.lease.id == target, free)
        values = {self.lease.writer: writer, self.lease.until: now + seconds}
        with self.session() as session:
            return session.execute(change.values(values).returning(self.lease.id)).first() is not None

    def release(self, target: str, writer: str) -> None:
        """Let others hold the row, if this writer still does."""
        change = update(self.lease.id.class_).where(self.holds(target, writer))
        with self.session() as session:
            session.execute(change.values({self.lease.writer: "", self.lease.until: 0.0}))

    def holds(self, target: str, writer: str) -> ColumnElement[bool]:
        """Condition that the row with this id is held by this writer."""
        return (self.lease.id == target) & (self.lease.writer == writer)
