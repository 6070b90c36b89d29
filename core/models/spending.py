"""The calls and tokens that each visitor has had of the server's endpoint today, in the database that all processes
share, and the limits on them."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date

from sqlalchemy import BigInteger, String, delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.database import Store
from core.errors import CallLimitReached, StoreError
from core.models.chat_models import ChatModel
from core.models.endpoint import name_for_endpoint, typed_endpoints
from core.settings import Settings
from core.trace.events import now
from core.users import User
from core.wording import counted

log = logging.getLogger(__name__)


class Base(DeclarativeBase):
    """Holds the metadata of the table."""


class SpentRow(Base):
    """One visitor on one day."""

    __tablename__ = "spending"

    owner: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Their name as the endpoint is told it, see `name_for_endpoint`."""
    day: Mapped[date] = mapped_column(primary_key=True)
    """In UTC."""
    calls: Mapped[int] = mapped_column(server_default="0")
    tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")


@dataclass(frozen=True)
class Quantity:
    """A number of calls, and of the tokens that they take; as a limit, 0 is none."""

    calls: int = 0
    tokens: int = 0

    def reached_by(self, spent: Quantity) -> bool:
        """True if, as a limit, it leaves no further call."""
        return 0 < self.calls <= spent.calls or 0 < self.tokens <= spent.tokens


class SpendingStore(Store):
    """The rows in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata

    def spent(self, owner: str, day: date) -> Quantity:
        """The calls and tokens of an owner, by their id, on a day."""
        with self.session() as session:
            row = session.get(SpentRow, (name_for_endpoint(owner), day))
            return Quantity(row.calls, row.tokens) if row else Quantity()

    def take(self, owner: str, day: date, limit: Quantity) -> Quantity | None:
        """Count one more call of an owner, unless a limit is reached: then, what they have spent; else None.

        By one statement, so that several processes count no call beyond the limit. An owner's first call on a day
        deletes everybody's past days.
        """
        mine = (SpentRow.owner == name_for_endpoint(owner), SpentRow.day == day)
        within = [SpentRow.calls < limit.calls] if limit.calls else []
        within += [SpentRow.tokens < limit.tokens] if limit.tokens else []
        more = update(SpentRow).values(calls=SpentRow.calls + 1).returning(SpentRow.calls)
        while True:
            try:
                with self.session(passed=IntegrityError) as session:
                    if session.execute(more.where(*mine, *within)).first() is not None:
                        return None
                    row = session.get(SpentRow, (name_for_endpoint(owner), day))
                    if row is not None:
                        return Quantity(row.calls, row.tokens)
                    session.add(SpentRow(owner=name_for_endpoint(owner), day=day, calls=1, tokens=0))
                    session.flush()
                    session.execute(delete(SpentRow).where(SpentRow.day < day))
                    return None
            except IntegrityError:  # another call of theirs was the first
                continue

    def add(self, owner: str, day: date, more: Quantity) -> None:
        """Add to what an owner has spent on a day; negative numbers take away."""
        mine = (SpentRow.owner == name_for_endpoint(owner), SpentRow.day == day)
        values = {"calls": SpentRow.calls + more.calls, "tokens": SpentRow.tokens + more.tokens}
        with self.session() as session:
            session.execute(update(SpentRow).where(*mine).values(values))

    def delete_before(self, day: date) -> None:
        """Forget the days before this one."""
        with self.session() as session:
            session.execute(delete(SpentRow).where(SpentRow.day < day))

    def has_past(self, owner: str) -> bool:
        """True if there are days of an owner, by their id, that `delete` would forget."""
        mine = select(SpentRow.day).where(SpentRow.owner == name_for_endpoint(owner))
        with self.session() as session:
            return session.scalar(mine.where(SpentRow.day < now().date())) is not None

    def delete(self, owner: str) -> None:
        """Forget an owner's days, by their id, but for today, or else whoever deletes would have a new budget."""
        with self.session() as session:
            mine = (SpentRow.owner == name_for_endpoint(owner), SpentRow.day < now().date())
            session.execute(delete(SpentRow).where(*mine))


@dataclass
class Spent:
    """One call as it is counted once it has ended."""

    tokens: int = 0
    counts: bool = False
    """True if the model has worked on it."""


@dataclass(frozen=True)
class DayBudget:
    """The calls and tokens that one visitor may have of the server's endpoint in a day."""

    store: SpendingStore
    owner: str
    limit: Quantity
    instead: str
    """What they can do once it is used up."""

    @asynccontextmanager
    async def call(self) -> AsyncGenerator[Spent]:
        """One call, from before it is sent to its end.

        Raises:
            CallLimitReached: A limit is reached; the call must not be sent.
            StoreError: The database cannot be used.
        """
        day = now().date()
        over = await asyncio.to_thread(self.store.take, self.owner, day, self.limit)
        if over is not None:
            raise CallLimitReached(f"{self.refusal(over)} What was done so far is kept.")
        spent = Spent()
        try:
            yield spent
        finally:
            more = Quantity(tokens=spent.tokens) if spent.counts else Quantity(calls=-1)
            try:
                await asyncio.shield(asyncio.to_thread(self.store.add, self.owner, day, more))
            except StoreError:  # the reply is there, and that is what counts
                log.exception("The tokens of a call could not be counted")

    def spent(self) -> Quantity:
        """What they have had today. Blocks for a moment."""
        return self.store.spent(self.owner, now().date())

    def refusal(self, spent: Quantity) -> str:
        """A sentence on a limit that is reached, and what to do."""
        if 0 < self.limit.calls <= spent.calls:
            had, has = counted(spent.calls, "call"), counted(self.limit.calls, "call")
        else:
            had, has = counted(spent.tokens, "token"), counted(self.limit.tokens, "token")
        return (
            f"Your budget for today is used up: you have used {had} of the server's model, and each visitor has {has} "
            f"a day. It begins anew at midnight UTC. {self.instead}"
        )

    def left(self) -> str:
        """A line on what they have used today. Blocks for a moment."""
        spent, limit = self.spent(), self.limit
        parts = [
            f"{had:,} of {has:,} {name}"
            for had, has, name in (
                (spent.calls, limit.calls, "calls"),
                (spent.tokens, limit.tokens, "tokens"),
            )
            if has
        ]
        return f"Used today: {' and '.join(parts)}. It begins anew at midnight UTC."


class Spending:
    """The daily budgets of one process's visitors; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings; the database is opened with the first budget."""
        self._settings = settings
        self._limit = Quantity(settings.max_calls_per_visitor_day, settings.max_tokens_per_visitor_day)
        self._opening = threading.Lock()
        self._store: SpendingStore | None = None

    @property
    def store(self) -> SpendingStore:
        """The rows in the database. Opening it blocks for a moment."""
        with self._opening:
            self._store = self._store or SpendingStore(self._settings.database)
            return self._store

    def budget(self, chat: ChatModel, by: User) -> DayBudget | None:
        """The budget that calls of a model by a user take from; None: they are not limited. Blocks for a moment where
        they are."""
        if by.teacher or not self._settings.limits_days or not chat.spends(self._settings):
            return None
        own = "" if typed_endpoints(self._settings, by) == "none" else " or an endpoint of your own"
        instead = (
            f"Until then, play a recording, choose the built-in model{own} under “Use another model” in the sidebar, "
            "or ask the teacher."
        )
        return DayBudget(self.store, by.owner, self._limit, instead)
