"""Comparisons: one question, several runs, side by side; stored beside the runs, which stay runs of their own."""

from __future__ import annotations

import builtins
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import TypeAdapter

from core.errors import InputError, UnknownRun
from core.owned import OwnedRows, newest_first, short_name, shown_to
from core.runs.gold import Gold
from core.runs.run_tables import Base, ComparisonRow
from core.trace.events import now

COLUMNS_LEAST, COLUMNS_MOST = 2, 4


_GOLD: TypeAdapter[tuple[Gold, ...]] = TypeAdapter(tuple[Gold, ...])


@dataclass(frozen=True)
class Comparison:
    """One question put through several strategies."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    question: str
    runs: tuple[str, ...]
    """Ids of the runs, one per column; a run may have been deleted since."""
    gold: tuple[Gold, ...] = ()
    """Empty: nobody knows where the evidence is."""
    name: str = ""
    pinned: bool = False

    @property
    def title(self) -> str:
        """Its name, or its question."""
        return self.name or self.question


class ComparisonStore(OwnedRows):
    """Comparisons in one database; the runs of one that is deleted stay.

    Calls block for a moment; from a coroutine, use a thread.
    """

    tables = Base.metadata
    row = ComparisonRow

    def add(
        self,
        question: str,
        runs: Sequence[str],
        owner: str,
        gold: Sequence[Gold] = (),
        *,
        name: str = "",
    ) -> Comparison:
        """Store a comparison of these runs, which need not be stored yet.

        Raises:
            InputError: There are too few or too many of them.
        """
        check_columns(runs)
        key, title = secrets.token_hex(8), short_name(name)
        made = Comparison(key, owner, now(), question, tuple(runs), tuple(gold), title)
        with self.session() as session:
            session.add(row_of(made))
        return made

    def get(self, comparison: str) -> Comparison:
        """The comparison with this id.

        Raises:
            UnknownRun: There is none.
        """
        with self.session() as session:
            row = session.get(ComparisonRow, comparison)
            if row is None:
                raise UnknownRun(f"There is no comparison '{comparison[:40]}'.")
            return _value(row)

    def list(self, owners: Collection[str], limit: int = 100) -> builtins.list[Comparison]:
        """Comparisons of these owners and pinned ones, pinned before all, then the newest first."""
        query = newest_first(ComparisonRow).where(shown_to(ComparisonRow, owners)).limit(limit)
        with self.session() as session:
            return [_value(row) for row in session.scalars(query)]


def check_columns(columns: Sequence[object]) -> None:
    """Check the number of columns of a comparison.

    Raises:
        InputError: There are too few or too many.
    """
    if not COLUMNS_LEAST <= len(columns) <= COLUMNS_MOST:
        raise InputError(f"A comparison has {COLUMNS_LEAST} to {COLUMNS_MOST} columns.")


def row_of(made: Comparison) -> ComparisonRow:
    """A comparison as it is stored."""
    return ComparisonRow(
        id=made.id,
        owner=made.owner,
        created=made.created.replace(tzinfo=None),
        question=made.question,
        runs=list(made.runs),
        gold=_GOLD.dump_python(made.gold),
        name=made.name,
        pinned=made.pinned,
    )


def _value(row: ComparisonRow) -> Comparison:
    return Comparison(
        id=row.id,
        owner=row.owner,
        created=row.created.replace(tzinfo=UTC),
        question=row.question,
        runs=tuple(row.runs),
        gold=_GOLD.validate_python(row.gold),
        name=row.name,
        pinned=row.pinned,
    )
