"""The speed of the chat models of this machine, measured with the calls that this app made, kept in the database.

A model of this machine is one that the app runs, or one of a server at a loopback address. Elsewhere, what a call takes
is mostly the way there and the wait for others, and says nothing about tokens; that is not measured.
"""

from __future__ import annotations

import hashlib
import logging
import platform
import threading
import time
from collections import defaultdict
from dataclasses import asdict

from sqlalchemy import String, delete, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.database import Store
from core.errors import StoreError
from core.models.endpoint import ChatEndpoint, is_here
from core.models.timing import CallTime, Shared, Speed, speed_of

log = logging.getLogger(__name__)

NEWEST = 30
"""Calls of a model from which its speed is judged."""
KNOWN_SECONDS = 20.0
"""How long a speed is used before the database is asked for the calls of other processes."""


class Base(DeclarativeBase):
    """Holds the metadata of the table."""


class CallRow(Base):
    """One call of a model of this machine."""

    __tablename__ = "call_times"

    id: Mapped[int] = mapped_column(primary_key=True)
    """Grows: the largest is the newest."""
    model: Mapped[str] = mapped_column(String(32), index=True)
    """Hash of its name and its server: addresses that somebody typed are not stored."""
    read: Mapped[int]
    """Tokens."""
    reading: Mapped[float]
    """Seconds."""
    written: Mapped[int]
    writing: Mapped[float]


class _Calls(Store):
    """The calls in one database."""

    tables = Base.metadata

    def newest(self, model: str) -> list[CallTime]:
        """The calls from which the speed of a model is judged, by its hash."""
        query = select(CallRow).where(CallRow.model == model).order_by(CallRow.id.desc()).limit(NEWEST)
        with self.session() as session:
            return [
                CallTime(row.read, row.reading, row.written, row.writing) for row in session.scalars(query)
            ]

    def add(self, model: str, call: CallTime) -> None:
        """Keep a call, and forget those that have become too old to count."""
        oldest = select(CallRow.id).where(CallRow.model == model).order_by(CallRow.id.desc()).offset(NEWEST)
        with self.session() as session:
            session.add(CallRow(model=model, **asdict(call)))
            session.flush()
            old = session.scalars(oldest).all()
            session.execute(delete(CallRow).where(CallRow.id.in_(old)))


class Speeds:
    """Measures the chat models of this machine; thread-safe."""

    def __init__(self, database: str) -> None:
        """Take the SQLAlchemy URL of a database, which is opened when it is first needed."""
        self._database = database
        self._opening = threading.Lock()
        self._opened: _Calls | None = None
        self._shared: defaultdict[str, Shared] = defaultdict(Shared)
        self._known: dict[str, tuple[float, Speed | None]] = {}
        """Hash of a model -> when the database was asked, and what it said."""
        self._asked: dict[str, str] = {}
        """Name of a model that was asked last -> its hash."""

    def of(self, server: str, model: str) -> Speed | None:
        """The speed of a model by the server that has it, see `is_here`; None: it is not known. Blocks for a moment.

        Raises:
            StoreError: The database cannot be read.
        """
        return self._of(_mark(server, model)) if is_here(server) and model else None

    def of_asked(self, model: str) -> Speed | None:
        """The speed of a model that this process has asked, by its name alone; None: it is not known.

        Raises:
            StoreError: The database cannot be read.
        """
        mark = self._asked.get(model)
        return self._of(mark) if mark else None

    def _of(self, mark: str) -> Speed | None:
        now = time.monotonic()
        known = self._known.get(mark)
        if known is None or now - known[0] > KNOWN_SECONDS:
            known = self._known[mark] = now, speed_of(self._calls().newest(mark))
        return known[1]

    def shared(self, endpoint: ChatEndpoint) -> Shared:
        """The calls of a model that are under way; never blocks."""
        mark = _mark(endpoint.server, endpoint.model)
        if is_here(endpoint.server):
            self._asked[endpoint.model] = mark
        return self._shared[mark]

    def keep(self, endpoint: ChatEndpoint, call: CallTime) -> None:
        """Keep the time of a call of a model of this machine. Blocks for a moment."""
        mark = _mark(endpoint.server, endpoint.model)
        try:
            self._calls().add(mark, call)
        except StoreError:  # the reply is there, and that is what counts
            log.exception("The time of a call could not be kept")
        self._known.pop(mark, None)

    def _calls(self) -> _Calls:
        with self._opening:
            self._opened = self._opened or _Calls(self._database)
            return self._opened


def _mark(server: str, model: str) -> str:
    """Name of a model in the database. A database may serve several machines, each with models of its own."""
    return hashlib.sha256(f"{platform.node()} {server} {model}".encode()).hexdigest()[:32]
