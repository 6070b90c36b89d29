"""The calls and tokens that each visitor has had of the server's endpoint today, in the database that all processes
share, and the limits on them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache

from sqlalchemy import BigInteger, String, delete, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.database import Store
from core.errors import CallLimitReached
from core.models.chat_models import ChatModel
from core.models.endpoint import name_for_endpoint
from core.settings import Settings
from core.trace.events import now
from core.users import User


class Base(DeclarativeBase):
    """Holds the metadata of the table."""


class SpendingRow(Base):
    """One visitor on one day."""

    __tablename__ = "spending"

    visitor: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Their name as the endpoint is told it, see `name_for_endpoint`."""
    day: Mapped[date] = mapped_column(primary_key=True)
    """In UTC."""
    calls: Mapped[int] = mapped_column(server_default="0")
    tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")


class SpendingStore(Store):
    """The rows in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata

    def usage(self, visitor: str, day: date) -> tuple[int, int]:
        """The calls and tokens of a visitor on a day."""
        with self.session() as session:
            row = session.get(SpendingRow, (visitor, day))
            return (row.calls, row.tokens) if row else (0, 0)

    def take(self, visitor: str, day: date, calls: int, tokens: int) -> bool:
        """Count one more call, by one statement, unless so many calls or tokens were spent (0: any number); returns
        False where they were."""
        with suppress(IntegrityError), self.session(passed=IntegrityError) as session:
            if session.get(SpendingRow, (visitor, day)) is None:
                session.add(SpendingRow(visitor=visitor, day=day))
        limits = [SpendingRow.calls < calls] if calls else []
        limits += [SpendingRow.tokens < tokens] if tokens else []
        more = update(SpendingRow).where(SpendingRow.visitor == visitor, SpendingRow.day == day, *limits)
        with self.session() as session:
            call = more.values(calls=SpendingRow.calls + 1).returning(SpendingRow.calls)
            return session.execute(call).first() is not None

    def add(self, visitor: str, day: date, tokens: int) -> None:
        """Add to the tokens that a visitor has spent on a day."""
        more = update(SpendingRow).where(SpendingRow.visitor == visitor, SpendingRow.day == day)
        with self.session() as session:
            session.execute(more.values(tokens=SpendingRow.tokens + tokens))

    def delete_before(self, day: date) -> None:
        """Forget the days before this one."""
        with self.session() as session:
            session.execute(delete(SpendingRow).where(SpendingRow.day < day))


@cache
def spending_store(database: str) -> SpendingStore:
    """The spending of this process in the database with this SQLAlchemy URL."""
    return SpendingStore(database)


@dataclass(frozen=True)
class DayBudget:
    """The calls and tokens that one visitor may have of the server's endpoint in a day; 0: any number."""

    database: str
    visitor: str
    calls: int
    tokens: int

    def take(self) -> None:
        """Count a call that is about to be sent. Blocks for a moment.

        Raises:
            CallLimitReached: A limit is reached; the call must not be sent.
            StoreError: The database cannot be used.
        """
        store, day = spending_store(self.database), now().date()
        if not store.take(self.visitor, day, self.calls, self.tokens):
            usage = store.usage(self.visitor, day)
            raise CallLimitReached(f"{self._sentence(*usage)} What was done so far is kept.")

    def spent(self) -> str:
        """A sentence where a limit is reached: no call would be sent; else empty. Blocks for a moment.

        Raises:
            StoreError: The database cannot be used.
        """
        calls, tokens = spending_store(self.database).usage(self.visitor, now().date())
        reached = 0 < self.calls <= calls or 0 < self.tokens <= tokens
        return self._sentence(calls, tokens) if reached else ""

    def _sentence(self, calls: int, tokens: int) -> str:
        limits = [(calls, self.calls, "calls"), (tokens, self.tokens, "tokens")]
        parts = [f"{used:,} of {most:,} {name}" for used, most, name in limits if most]
        return (
            f"Your budget for today is used up: {' and '.join(parts)} of the server's model. It begins anew at "
            "midnight UTC. Until then, play a recording, choose another model under “Use another model” in the "
            "sidebar, or ask the teacher."
        )

    def add(self, tokens: int) -> None:
        """Count the tokens of a call that has ended. Blocks for a moment.

        Raises:
            StoreError: The database cannot be used.
        """
        spending_store(self.database).add(self.visitor, now().date(), tokens)


def day_budget(settings: Settings, chat: ChatModel, by: User) -> DayBudget | None:
    """The budget that calls of a model by a user take from; None: they are not limited."""
    if by.teacher or not settings.limits_days or not chat.spends(settings):
        return None
    limits = settings.max_calls_per_visitor_day, settings.max_tokens_per_visitor_day
    return DayBudget(settings.database, name_for_endpoint(by.owner), *limits)
