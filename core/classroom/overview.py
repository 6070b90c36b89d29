"""What a class asked and handed in, as its teacher sees it: rows for a table, read in few queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from time import time
from typing import Any

from pydantic import ValidationError
from sqlalchemy import false, func, or_, select

from core.classroom.handing_in import HandIn, check_teacher, hand_ins
from core.classroom.questions import Question
from core.classroom.store import Classroom, MemberRow, VoteRow, class_store
from core.drawings.side_by_side import cost
from core.runs.record import record
from core.runs.store import EventRow, RunEntry, RunRow, entry_of
from core.runs.workbench import Workbench
from core.trace.events import Event, load
from core.users import User

NO_NAME = "no name"
TOGETHER = 100
"""Runs whose calls are read with one query."""
MOST_RUNS = 10_000
"""Runs that are listed together."""
KEPT = 2 * MOST_RUNS
"""Runs whose calls this process remembers."""


@dataclass(frozen=True)
class Person:
    """A member of a class."""

    member: str
    """Owner id of the browser: no page and no file may have it."""
    name: str
    """Raw; the nickname, with their number where others have the same or there is none."""
    joined: datetime
    """UTC."""
    runs: int
    right: int
    """Right votes on questions that were revealed."""


@dataclass(frozen=True)
class Spent:
    """What the calls of a run took, without those that the run it was forked from had made."""

    calls: int
    sent: int
    written: int
    """Tokens, as far as endpoints count them."""
    dollars: float | None
    """None: a price or a number of tokens is not known."""


@dataclass(frozen=True)
class RunLine:
    """A run of a member, who is its owner."""

    run: RunEntry
    spent: Spent


Mark = tuple[str, str, float]
"""Id, state and seconds of a run: with its next event, these are others."""
_SPENT: dict[Mark, Spent] = {}


class Overview:
    """The overview of one class. Calls block for a moment."""

    def __init__(self, bench: Workbench, classroom: Classroom, user: User) -> None:
        """Open it.

        Raises:
            NotAllowed: They are not the teacher of this class.
        """
        check_teacher(classroom, user)
        self.bench, self.classroom, self._user = bench, classroom, user
        self._store = hand_ins(bench.settings.database)

    def questions(self) -> list[tuple[Question, bool]]:
        """The questions, each with whether its truth was shown."""
        return class_store(self.bench.settings.database).questions(self.classroom.id)

    def votes(self) -> dict[int, Counter[str]]:
        """The votes of each question by option, nobody's name with them."""
        return dict(class_store(self.bench.settings.database).counts(self.classroom.id))

    def people(self) -> list[Person]:
        """The members in the order of joining."""
        right = (
            (VoteRow.place == place) & VoteRow.option.in_(question.right)
            for place, (question, revealed) in enumerate(self.questions())
            if revealed
        )
        votes = select(VoteRow.member, func.count()).group_by(VoteRow.member)
        votes = votes.where(VoteRow.classroom == self.classroom.id, or_(false(), *right))
        runs = self._runs(select(MemberRow.member, func.count()).select_from(RunRow)).group_by(
            MemberRow.member
        )
        joined = select(MemberRow).where(MemberRow.classroom == self.classroom.id)
        with self._store.session() as session:
            members = session.scalars(joined.order_by(MemberRow.joined, MemberRow.member)).all()
            asked: dict[str, int] = dict(session.execute(runs).all())
            rights: dict[str, int] = dict(session.execute(votes).all())
            often = Counter(row.nickname for row in members)
            return [
                Person(
                    row.member,
                    _name(row.nickname, number, alone=often[row.nickname] == 1),
                    row.joined.replace(tzinfo=UTC),
                    asked.get(row.member, 0),
                    rights.get(row.member, 0),
                )
                for number, row in enumerate(members, 1)
            ]

    def runs(self, member: str = "", first: int = 0, limit: int = MOST_RUNS) -> list[RunLine]:
        """Runs that members began after they joined and before the class was over, the newest first; from the one at
        place `first` on, and of one member only, if one is named."""
        query = self._runs(select(RunRow)).order_by(RunRow.created.desc(), RunRow.id)
        if member:
            query = query.where(MemberRow.member == member)
        with self._store.session() as session:
            rows = session.scalars(query.offset(first).limit(limit)).all()
            entries = [entry_of(row, time()) for row in rows]
        spent = self._spent(entries)
        return [RunLine(run, spent[_mark(run)]) for run in entries]

    def hand_ins(self) -> list[HandIn]:
        """All that was handed in, the first one first."""
        return self._store.of_class(self.classroom, self._user)

    def _runs(self, query: Any) -> Any:
        """Of a query about runs, the part that is about this class."""
        during = (MemberRow.member == RunRow.owner) & (RunRow.created >= MemberRow.joined)
        if self.classroom.ended:
            during &= RunRow.created <= self.classroom.ended.replace(tzinfo=None)
        return query.join(MemberRow, during).where(MemberRow.classroom == self.classroom.id)

    def _spent(self, runs: Sequence[RunEntry]) -> dict[Mark, Spent]:
        """What the calls of runs took; read again only of those that went on."""
        if len(_SPENT) > KEPT:
            _SPENT.clear()
        known = {mark: _SPENT[mark] for mark in map(_mark, runs) if mark in _SPENT}
        fresh = {run.id: _mark(run) for run in runs if _mark(run) not in known}
        for start in range(0, len(fresh), TOGETHER):
            for run, events in self._calls(list(fresh)[start : start + TOGETHER]).items():
                folded = record(events)
                dollars = cost(folded, self.bench.settings.model_prices)
                totals = folded.totals
                spent = Spent(totals.calls, totals.tokens_in, totals.tokens_out, dollars)
                known[fresh[run]] = _SPENT[fresh[run]] = spent
        return known

    def _calls(self, runs: Sequence[str]) -> dict[str, list[Event]]:
        """The events of runs without artefacts and tokens, which are most of them and cost nothing."""
        bulky = (
            EventRow.body.contains(f'"type":"{name}"', autoescape=True) for name in ("artefact", "token")
        )
        query = select(EventRow.run, EventRow.body).where(EventRow.run.in_(runs), ~or_(*bulky))
        events: dict[str, list[Event]] = {run: [] for run in runs}
        with self._store.session() as session:
            for run, body in session.execute(query.order_by(EventRow.run, EventRow.seq)):
                with suppress(ValidationError):  # another version stored it
                    events[run].append(load(body))
        return events


def _mark(run: RunEntry) -> Mark:
    return run.id, run.state, run.seconds


def _name(nickname: str, number: int, *, alone: bool) -> str:
    """A name that no other member of the class has."""
    plain = nickname and alone and not nickname.endswith(")")
    return nickname if plain else f"{nickname or NO_NAME} ({number})"
