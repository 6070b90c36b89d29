"""Rows that one process or machine at a time may change: who holds a row, and until when unless that is renewed.

Waiting for a row, and renewing it while the work goes on, is in `core.corpora.writing`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import ColumnElement, update
from sqlalchemy.orm import InstrumentedAttribute

from core.database import Store


@dataclass(frozen=True)
class HoldColumns:
    """Columns of one table that say who holds a row."""

    id: InstrumentedAttribute[str]
    writer: InstrumentedAttribute[str]
    """Who holds it; empty: nobody."""
    until: InstrumentedAttribute[float]
    """Seconds since the epoch; after that the row is free, whoever held it."""


class HeldRows(Store):
    """A store with a table whose rows are held."""

    held: ClassVar[HoldColumns]
    """The columns of a subclass."""

    def hold(self, target: str, writer: str, seconds: float) -> bool:
        """Become, or stay, the only writer of the row with this id.

        Args:
            target: Its id.
            writer: Name of the process that asks; any that no other one uses.
            seconds: How long it is held unless this is called again.

        Returns:
            Whether it is; False: another process holds it, or there is no such row.
        """
        now = time.time()
        free = self.held.writer.in_(["", writer]) | (self.held.until < now)
        change = update(self.held.id.class_).where(self.held.id == target, free)
        values = {self.held.writer: writer, self.held.until: now + seconds}
        with self.session() as session:
            return session.execute(change.values(values).returning(self.held.id)).first() is not None

    def release(self, target: str, writer: str) -> None:
        """Let others hold the row, if this writer still does."""
        change = update(self.held.id.class_).where(self.holds(target, writer))
        with self.session() as session:
            session.execute(change.values({self.held.writer: "", self.held.until: 0.0}))

    def holds(self, target: str, writer: str) -> ColumnElement[bool]:
        """Condition that the row with this id is held by this writer."""
        return (self.held.id == target) & (self.held.writer == writer)
