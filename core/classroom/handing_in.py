"""Hand-ins of the members of a class: runs, comparisons and data sets of their own, each with a note to the teacher."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

from sqlalchemy import ForeignKeyConstraint, String, Text, delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from core.cards.texts import visible
from core.classroom.tables import Base, ClassRow, MemberRow
from core.database import Store, make_tables, value_of
from core.errors import InputError
from core.evaluation.set_store import Base as DataSetBase
from core.evaluation.set_store import DataSetRow
from core.owned import OwnedRow
from core.runs.store import Base as RunBase
from core.runs.store import ComparisonRow, RunRow
from core.trace.events import now

MAX_NOTE = 2_000
"""Characters of a note."""
Kind = Literal["run", "comparison", "dataset"]
ROWS: dict[Kind, type[OwnedRow]] = {"run": RunRow, "comparison": ComparisonRow, "dataset": DataSetRow}
"""The tables that hold what is handed in."""


class HandInRow(Base):
    """One thing that a member handed in; it goes with the member, and with the class."""

    __tablename__ = "class_hand_ins"
    __table_args__ = (
        ForeignKeyConstraint(
            ["classroom", "member"], ["class_members.classroom", "class_members.member"], ondelete="CASCADE"
        ),
    )

    classroom: Mapped[str] = mapped_column(String(32), primary_key=True)
    member: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[Kind] = mapped_column(String(16), primary_key=True)
    target: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Id of the run, comparison or data set, which may have been deleted since."""
    note: Mapped[str] = mapped_column(Text, server_default="")
    created: Mapped[datetime] = mapped_column()
    """UTC; the last time that it was handed in."""


@dataclass(frozen=True)
class HandIn:
    """A thing that was handed in; all texts are raw."""

    member: str
    """Owner id of the browser: no page and no file may have it."""
    kind: Kind
    target: str
    note: str
    created: datetime
    """UTC."""
    title: str = ""
    """Its name, or its question; empty: it was deleted since."""


class HandIns(Store):
    """Hand-ins in one database. Calls block for a moment."""

    tables = Base.metadata

    def __init__(self, database: str) -> None:
        super().__init__(database)
        for others in (RunBase.metadata, DataSetBase.metadata):
            make_tables(self.engine, others)

    def hand_in(self, classroom: str, member: str, kind: Kind, target: str, note: str = "") -> None:
        """Hand in something of one's own, or replace the note of what was handed in.

        Raises:
            InputError: The note is too long, the class is over or not theirs, or the thing is not theirs or was
                deleted.
        """
        note = visible(note).strip()
        if len(note) > MAX_NOTE:
            raise InputError(
                f"A note has at most {MAX_NOTE:,} characters; this one has {len(note):,}. Shorten it."
            )
        row = ROWS[kind]
        # Of two clicks at once, the one that was quicker counts.
        with suppress(IntegrityError), self.session(passed=IntegrityError) as session:
            entry = session.get(ClassRow, classroom)
            if entry is None or entry.phase == "ended" or session.get(MemberRow, (classroom, member)) is None:
                raise InputError("Only members of a class that is not over can hand in. Ask your teacher.")
            if session.scalar(select(row.owner).where(row.id == target)) != member:
                raise InputError("This is not yours, or it was deleted. Hand in something of your own.")
            created = now().replace(tzinfo=None)
            values = {"classroom": classroom, "member": member, "kind": kind, "target": target}
            session.merge(HandInRow(**values, note=note, created=created))

    def take_back(self, classroom: str, member: str, kind: Kind, target: str) -> None:
        """Take back what this member handed in; what is not there is no error."""
        mine = (HandInRow.classroom == classroom, HandInRow.member == member)
        with self.session() as session:
            session.execute(
                delete(HandInRow).where(*mine, HandInRow.kind == kind, HandInRow.target == target)
            )

    def get(self, classroom: str, member: str, kind: Kind, target: str) -> HandIn | None:
        """The hand-in of a member, without its title; None: there is none."""
        with self.session() as session:
            row = session.get(HandInRow, (classroom, member, kind, target))
            return value_of(HandIn, row) if row else None

    def of_class(self, classroom: str) -> list[HandIn]:
        """All that was handed in, the first one first; for the teacher of the class."""
        with self.session() as session:
            return [
                value_of(HandIn, row, title=title or "") for row, title in session.execute(_titled(classroom))
            ]


def _titled(classroom: str) -> Any:
    """The hand-ins of a class, each with its title; without one, where it was deleted."""
    names = (func.nullif(RunRow.name, ""), RunRow.question, func.nullif(ComparisonRow.name, ""))
    query = select(HandInRow, func.coalesce(*names, ComparisonRow.question, DataSetRow.name))
    for kind, row in ROWS.items():
        same = (HandInRow.kind == kind) & (HandInRow.target == row.id) & (HandInRow.member == row.owner)
        query = query.outerjoin(row, same)
    return query.where(HandInRow.classroom == classroom).order_by(HandInRow.created, HandInRow.target)


@cache
def hand_ins(database: str) -> HandIns:
    """The hand-ins of this process in the database with this SQLAlchemy URL."""
    return HandIns(database)
