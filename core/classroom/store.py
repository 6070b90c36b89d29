"""Classes, their members, and the votes of these, in the SQL database that all processes share."""

from __future__ import annotations

import builtins
import json
import secrets
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Executable, Integer, Text, bindparam, cast, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Session

from core.classroom.questions import Question
from core.classroom.tables import Base, ClassRow, MemberRow, QuestionRow, VoteRow
from core.database import value_of
from core.errors import InputError, LoupeError
from core.owned import OwnedRows, newest_first, short_name, shown_to
from core.trace.events import now

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Of codes: without the letters and figures that are taken for one another."""
CODE_LENGTH = 6
MAX_NICKNAME = 30
MAX_MEMBERS = 500
MAX_QUESTIONS = 60

Phase = Literal["waiting", "open", "revealed", "result", "ended"]
"""Before the first question; votes are taken; the truth is shown; so are the rates of all questions; it is over."""
PHASES: tuple[Phase, ...] = get_args(Phase)


class UnknownClass(LoupeError):
    """There is no class with this code or id, or it is over."""

    def __init__(self) -> None:
        super().__init__("There is no such class. Check the code: it is on the projector.")


VoteKey = tuple[str, int, str]
"""The id of a class, the place of a question, and the id of a member."""


@dataclass(frozen=True)
class Classroom:
    """A class as it stands."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    name: str
    code: str
    key: str = field(repr=False)
    place: int = -1
    phase: Phase = "waiting"
    admits: bool = True
    version: int = 0
    pinned: bool = False
    ended: datetime | None = None
    """The moment when it was over, UTC; None: it is not."""

    @property
    def shows_question(self) -> bool:
        """True if the question `place` is on the screen."""
        return self.phase in ("open", "revealed")


@dataclass(frozen=True)
class Member:
    """A browser that joined a class."""

    member: str
    nickname: str
    joined: datetime
    """UTC."""


@dataclass(frozen=True)
class Student:
    """The nickname and the votes of a member of a class."""

    nickname: str
    votes: dict[int, str]
    """Options by question."""


class ClassStore(OwnedRows):
    """Classes in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata
    row = ClassRow

    # The teacher's

    def open(self, owner: str, name: str, questions: Sequence[Question] = ()) -> Classroom:
        """Open a class with these questions.

        Raises:
            InputError: The name is too long, or there are too many questions.
        """
        name = short_name(name) or "Class"
        while True:
            code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
            row = ClassRow(
                id=secrets.token_hex(8),
                owner=owner,
                name=name,
                code=code,
                key=secrets.token_hex(16),
            )
            # Another class may have this code.
            with suppress(IntegrityError), self.session(passed=IntegrityError) as session:
                session.add(row)
                session.flush()
                _add_questions(session, row.id, questions)
                return value_of(Classroom, row)

    def get(self, key: str) -> Classroom:
        """The class with this id.

        Raises:
            UnknownClass: There is none.
        """
        with self.session() as session:
            return value_of(Classroom, _must_exist(session.get(ClassRow, key)))

    def list(self, owners: Collection[str] | None) -> builtins.list[Classroom]:
        """At most 50 classes of these owners (None: everybody's), the newest first."""
        query = newest_first(ClassRow).limit(50)
        if owners is not None:
            query = query.where(shown_to(ClassRow, owners))
        with self.session() as session:
            return [value_of(Classroom, row) for row in session.scalars(query)]

    def add(self, classroom: str, questions: Sequence[Question]) -> int:
        """Add questions at the end; returns the number of the first of them.

        Raises:
            InputError: There would be too many.
        """
        with self.session() as session:
            _changed(session, classroom)
            return _add_questions(session, classroom, questions)

    def show(self, classroom: str, place: int, phase: Phase, *, anew: bool = False) -> Classroom:
        """Show a question in a phase. One that was revealed takes no more votes, unless it is asked `anew`: then those
        that it has are gone.

        Raises:
            InputError: There is no such question.
            UnknownClass: There is no such class.
        """
        with self.session() as session:
            row = _changed(session, classroom)
            if phase in ("open", "revealed"):
                question = session.get(QuestionRow, (classroom, place))
                if question is None:
                    raise InputError("This class has no such question.")
                if anew:
                    votes = (VoteRow.classroom == classroom, VoteRow.place == place)
                    session.execute(delete(VoteRow).where(*votes))
                question.revealed = phase == "revealed" or (question.revealed and not anew)
                phase = "revealed" if question.revealed else "open"
            row.place, row.phase = place, phase
            row.ended = (row.ended or now().replace(tzinfo=None)) if phase == "ended" else None
            return value_of(Classroom, row)

    def admit(self, classroom: str, *, admits: bool) -> None:
        """Let more browsers join, or no more."""
        self._change(classroom, admits=admits)

    def forget_nicknames(self, before: datetime) -> None:
        """Forget the nicknames in classes that were over before a moment, or, if they never were, opened before it."""
        old = select(ClassRow.id).where(func.coalesce(ClassRow.ended, ClassRow.created) < before)
        with self.session() as session:
            session.execute(update(MemberRow).where(MemberRow.classroom.in_(old)).values(nickname=""))

    # Students'

    def find(self, code: str) -> Classroom:
        """The class with this code, in capital letters or not.

        Raises:
            UnknownClass: There is none.
        """
        wanted = code.strip().upper()
        if not set(wanted) <= set(ALPHABET):  # nothing that a database might stumble over
            raise UnknownClass
        with self.session() as session:
            query = select(ClassRow).where(ClassRow.code == wanted)
            return value_of(Classroom, _must_exist(session.scalar(query)))

    def join(self, classroom: str, member: str, nickname: str = "") -> None:
        """Join a class, or take another nickname in it; an empty one takes it away.

        Raises:
            InputError: The nickname is too long, or nobody else may join.
        """
        (refusal,) = self.join_all([(classroom, member, nickname)])
        if refusal:
            raise refusal

    def join_all(self, joining: Sequence[tuple[str, str, str]]) -> builtins.list[InputError | None]:
        """Do so for several: of a class, a member and a nickname each; returns why one is refused, as `join` raises."""
        with self.session() as session:
            return [_join(session, *one) for one in joining]

    def leave(self, classroom: str, member: str) -> None:
        """Take a browser out of a class, with its votes."""
        with self.session() as session:
            for table in (VoteRow, MemberRow):
                session.execute(delete(table).where(table.classroom == classroom, table.member == member))

    def vote(self, votes: Mapping[VoteKey, str]) -> Collection[VoteKey]:
        """Write votes, new or changed, in one transaction; returns the keys of those that count: of members, on
        questions that are open.

        SQLite lets one transaction write at a time. A hundred votes within a second, each in its own, kept one
        another, runs and pages waiting for seconds.
        """
        # In the order of every other process, so that no two wait for one another.
        rows = [(*key, option) for key, option in sorted(votes.items())]
        with self.session() as session:
            written = session.connection().execute(
                _vote(self.engine.dialect.name), {"votes": json.dumps(rows)}
            )
            return {(classroom, place, member) for classroom, place, member in written}

    # What is read

    def questions(self, classroom: str) -> builtins.list[tuple[Question, bool]]:
        """The questions of a class, each with True if its truth was shown."""
        query = select(QuestionRow).where(QuestionRow.classroom == classroom).order_by(QuestionRow.place)
        with self.session() as session:
            return [(Question.model_validate_json(row.body), row.revealed) for row in session.scalars(query)]

    def members(self, classroom: str) -> builtins.list[Member]:
        """The members of a class, in the order in which they joined."""
        query = select(MemberRow).where(MemberRow.classroom == classroom)
        query = query.order_by(MemberRow.joined, MemberRow.member)
        with self.session() as session:
            return [value_of(Member, row) for row in session.scalars(query)]

    def students(self, classroom: str, members: Collection[str]) -> dict[str, Student]:
        """Nickname and votes by member id, for those of `members` that joined the class with the id `classroom`."""
        own = (VoteRow.classroom == MemberRow.classroom) & (VoteRow.member == MemberRow.member)
        query = (
            select(MemberRow.member, MemberRow.nickname, VoteRow.place, VoteRow.option)
            .outerjoin(VoteRow, own)
            .where(MemberRow.classroom == classroom, MemberRow.member.in_(members))
        )
        students: dict[str, Student] = {}
        with self.session() as session:
            for member, nickname, place, option in session.execute(query):
                votes = students.setdefault(member, Student(nickname, {})).votes
                if place is not None:
                    votes[place] = option
        return students

    def classes_of(self, member: str) -> builtins.list[Classroom]:
        """Classes that a browser joined and that are not over, the newest first."""
        query = (
            select(ClassRow)
            .join(MemberRow, MemberRow.classroom == ClassRow.id)
            .where(MemberRow.member == member, ClassRow.phase != "ended")
            .order_by(ClassRow.created.desc())
        )
        with self.session() as session:
            return [value_of(Classroom, row) for row in session.scalars(query)]

    def counts(self, classroom: str) -> tuple[int, Mapping[int, Counter[str]]]:
        """The number of browsers that joined, and the votes of each question by option."""
        query = (
            select(VoteRow.place, VoteRow.option, func.count())
            .where(VoteRow.classroom == classroom)
            .group_by(VoteRow.place, VoteRow.option)
        )
        counts: dict[int, Counter[str]] = {}
        with self.session() as session:
            for place, option, count in session.execute(query):
                counts.setdefault(place, Counter())[option] = count
            return _count(session, MemberRow.classroom, classroom), counts


def _join(session: Session, classroom: str, member: str, nickname: str) -> InputError | None:
    nickname = short_name(nickname)
    if len(nickname) > MAX_NICKNAME:
        return InputError(f"A nickname has at most {MAX_NICKNAME} characters.")
    row = session.get(MemberRow, (classroom, member))
    if row is not None:
        row.nickname = nickname
        return None
    entry = session.get(ClassRow, classroom)
    full = _count(session, MemberRow.classroom, classroom) >= MAX_MEMBERS
    if entry is None or not entry.admits or entry.phase == "ended" or full:
        return InputError("This class takes nobody else. Ask your teacher.")
    # Another process may have let them in meanwhile, or the same batch, after two taps.
    new = _insert(session.get_bind().dialect.name, MemberRow).values(
        classroom=classroom, member=member, nickname=nickname, joined=now().replace(tzinfo=None)
    )
    session.execute(
        new.on_conflict_do_update(index_elements=("classroom", "member"), set_={"nickname": nickname})
    )
    return None


def _insert(dialect: str, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
    """An insertion that can say what happens to rows that are there already."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


@cache
def _vote(dialect: str) -> Executable:
    """The statement that writes the votes of its parameter, a JSON list of the columns of each, and returns the keys of
    those that count.

    It is one statement, since after each the thread waits for its turn among all that draw pages; and one whose text is
    the same for any number of votes, since to make it takes longer than to write them.
    """
    votes = bindparam("votes", type_=Text)
    if dialect == "postgresql":
        each = func.jsonb_array_elements(cast(votes, postgresql.JSONB)).table_valued("value").render_derived()
        columns: list[ColumnElement[Any]] = [each.c.value.op("->>")(place) for place in range(4)]
    else:
        each = func.json_each(votes).table_valued("value")
        columns = [func.json_extract(each.c.value, f"$[{place}]") for place in range(4)]
    classroom, place, member, option = columns
    counted = (
        select(ClassRow.id, ClassRow.place, MemberRow.member, option)
        .select_from(each)
        .join(ClassRow, (ClassRow.id == classroom) & (ClassRow.place == cast(place, Integer)))
        .join(MemberRow, (MemberRow.classroom == ClassRow.id) & (MemberRow.member == member))
        .where(ClassRow.phase == "open")
    )
    keys = ("classroom", "place", "member")
    new = _insert(dialect, VoteRow).from_select([*keys, "option"], counted)
    change = new.on_conflict_do_update(index_elements=keys, set_={"option": new.excluded.option})
    statement: Executable = change.returning(VoteRow.classroom, VoteRow.place, VoteRow.member)
    return statement


def _changed(session: Session, classroom: str) -> ClassRow:
    """The row of a class, whose change is counted; its lock keeps two changes apart."""
    change = update(ClassRow).where(ClassRow.id == classroom).values(version=ClassRow.version + 1)
    session.execute(change)
    return _must_exist(session.get(ClassRow, classroom))


def _add_questions(session: Session, classroom: str, questions: Sequence[Question]) -> int:
    first = _count(session, QuestionRow.classroom, classroom)
    if first + len(questions) > MAX_QUESTIONS:
        raise InputError(f"A class has at most {MAX_QUESTIONS} questions.")
    for place, question in enumerate(questions, first):
        session.add(QuestionRow(classroom=classroom, place=place, body=question.model_dump_json()))
    return first


def _count(session: Session, column: InstrumentedAttribute[str], classroom: str) -> int:
    return session.scalar(select(func.count()).where(column == classroom)) or 0


def _must_exist(row: ClassRow | None) -> ClassRow:
    if row is None:
        raise UnknownClass
    return row


@cache
def class_store(database: str) -> ClassStore:
    """The classes of this process in the database with this SQLAlchemy URL."""
    return ClassStore(database)
