"""A class as its teacher sees it: its members, their runs with what these cost, and what they handed in."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from time import time

from pydantic import ValidationError
from sqlalchemy import or_, select

from core.classroom.handing_in import HandIn, hand_ins
from core.classroom.store import Classroom, Member, class_store
from core.classroom.tables import MemberRow
from core.drawings.side_by_side import cost
from core.runs.record import Totals, record
from core.runs.store import EventRow, RunEntry, RunRow, entry_of
from core.runs.workbench import Workbench
from core.trace.events import Event, load
from core.users import NotAllowed, User

NO_NAME = "no name"
MOST_RUNS = 2_000
"""Runs of a class that are listed."""


@dataclass(frozen=True)
class RunLine:
    """A run of a member, with the cost of its own calls."""

    run: RunEntry
    totals: Totals
    dollars: float | None
    """None: a price or a number of tokens is not known."""


class Overview:
    """The overview of one class. Calls block for a moment."""

    def __init__(self, bench: Workbench, classroom: Classroom, user: User) -> None:
        """Open it.

        Raises:
            NotAllowed: They are not the teacher of this class.
        """
        if not user.may_change(classroom.owner):
            raise NotAllowed("Only the teacher of this class sees what its members ask and hand in.")
        self.bench, self.classroom = bench, classroom

    def members(self) -> list[Member]:
        """The members in the order of joining; a nickname that several have, or that is empty, ends in a number. An id
        opens all that is its browser's: no page and no file may have it."""
        members = class_store(self.bench.settings.database).members(self.classroom.id)
        often = Counter(one.nickname for one in members)
        return [
            replace(one, nickname=_name(one.nickname, number, alone=often[one.nickname] == 1))
            for number, one in enumerate(members, 1)
        ]

    def names(self) -> dict[str, str]:
        """The members' nicknames by their ids."""
        return {one.member: one.nickname for one in self.members()}

    def runs(self) -> list[RunLine]:
        """The newest runs that members began after they joined and before the class was over, the newest first."""
        during = (MemberRow.member == RunRow.owner) & (RunRow.created >= MemberRow.joined)
        if self.classroom.ended:
            during &= RunRow.created <= self.classroom.ended.replace(tzinfo=None)
        query = select(RunRow).join(MemberRow, during).where(MemberRow.classroom == self.classroom.id)
        query = query.order_by(RunRow.created.desc(), RunRow.id).limit(MOST_RUNS)
        with self.bench.store.session() as session:
            entries = [entry_of(row, time()) for row in session.scalars(query)]
        return [RunLine(run, *_cost(self.bench, run.id, run.state, run.seconds)) for run in entries]

    def hand_ins(self) -> list[HandIn]:
        """All that was handed in, the first one first."""
        return hand_ins(self.bench.settings.database).of_class(self.classroom.id)


@lru_cache(maxsize=2 * MOST_RUNS)
def _cost(bench: Workbench, run: str, _state: str, _seconds: float) -> tuple[Totals, float | None]:
    """The cost of the calls of a run, and US dollars for them; read again once its state or its seconds are others.

    Artefacts and tokens, which are most of the events and cost nothing, are not read.
    """
    bulky = (EventRow.body.contains(f'"type":"{name}"', autoescape=True) for name in ("artefact", "token"))
    query = select(EventRow.body).where(EventRow.run == run, ~or_(*bulky)).order_by(EventRow.seq)
    events: list[Event] = []
    with bench.store.session() as session:
        for body in session.scalars(query):
            with suppress(ValidationError):  # another version stored it
                events.append(load(body))
    known = record(events)
    return known.totals, cost(known, bench.settings.model_prices)


def _name(nickname: str, number: int, *, alone: bool) -> str:
    """A name that no other member of the class has."""
    plain = nickname and alone and not nickname.endswith(")")
    return nickname if plain else f"{nickname or NO_NAME} ({number})"
