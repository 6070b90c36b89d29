"""Plans: questions in the order of a class, with minutes and notes for the teacher; in the database and as files.

A plan is a copy: it can be used where its runs are not stored. Plans that come with the app lie in `data/plans` and are
never written into the database.
"""

from __future__ import annotations

import builtins
import json
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, StringConstraints, ValidationError
from sqlalchemy import String, Text, false, func, select
from sqlalchemy.orm import Mapped, mapped_column

from core.cards.texts import visible
from core.classroom.questions import MAX_MINUTES, MoreText, Question
from core.classroom.store import MAX_QUESTIONS, Base
from core.errors import InputError
from core.owned import MAX_NAME, OwnedRows, newest_first, shown_to
from core.strict_json import read_json
from core.trace.events import now
from core.trace.passages import Frozen
from core.users import APP
from core.wording import shortened

F = TypeVar("F", bound=Frozen)

FOLDER = Path(__file__).parents[2] / "data" / "plans"
FORMAT_VERSION = 1
"""Of the file."""
MAX_BYTES = 2**20
"""Of a file; the longest plan has fewer."""
MAX_PLANS = 50
"""Of one owner."""


def _line(value: object) -> object:
    return " ".join(visible(value).split()) if isinstance(value, str) else value


class UnknownPlan(InputError):
    """There is no plan with this id."""


class Plan(Frozen):
    """Questions in order, with what the teacher needs to give the class. No text is markup."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME), BeforeValidator(_line)]
    minutes: int = Field(default=0, ge=0, le=MAX_MINUTES)
    """Of the class as a whole; the questions may take less. 0: as long as the questions take."""
    notes: MoreText = ""
    """For the teacher: what to prepare, how to begin, how to end."""
    questions: tuple[Question, ...] = Field(default=(), max_length=MAX_QUESTIONS)

    @property
    def planned(self) -> int:
        """Minutes of the questions together."""
        return sum(question.minutes for question in self.questions)


class PlanRow(Base):
    """A plan that somebody saved."""

    __tablename__ = "class_plans"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime] = mapped_column(index=True)
    """UTC; without a zone because SQLite keeps none."""
    name: Mapped[str] = mapped_column(Text)
    pinned: Mapped[bool] = mapped_column(server_default=false())
    body: Mapped[str] = mapped_column(Text)
    """The plan as JSON, but for its name."""


@dataclass(frozen=True)
class StoredPlan:
    """A plan with its place in a list."""

    id: str
    owner: str
    plan: Plan
    created: datetime | None = None
    """UTC; None: it comes with the app."""
    pinned: bool = False

    @property
    def name(self) -> str:
        """Its name."""
        return self.plan.name


class PlanStore(OwnedRows):
    """Plans in one database, beside those that come with the app. Calls block for a moment; from a coroutine, use a
    thread."""

    tables = Base.metadata
    row = PlanRow

    def save(self, owner: str, plan: Plan, key: str = "") -> StoredPlan:
        """Store a plan in place of this owner's with the id `key`, else as a new one.

        Raises:
            InputError: This owner has too many.
        """
        body = plan.model_dump_json(exclude={"name"})
        with self.session() as session:
            row = session.get(PlanRow, key) if key else None
            if row is None or row.owner != owner:
                own = session.scalar(select(func.count()).where(PlanRow.owner == owner)) or 0
                if own >= MAX_PLANS:
                    raise InputError(
                        f"At most {MAX_PLANS} plans are kept. Delete one that you no longer need."
                    )
                row = PlanRow(id=secrets.token_hex(8), owner=owner, created=now().replace(tzinfo=None))
                session.add(row)
            row.name, row.body = plan.name, body
            session.flush()
            return _stored(row)

    def get(self, key: str) -> StoredPlan:
        """The plan with this id, which may come with the app.

        Raises:
            UnknownPlan: There is none.
        """
        if key in shipped():
            return shipped()[key]
        with self.session() as session:
            row = session.get(PlanRow, key)
            if row is None:
                raise UnknownPlan("There is no such plan. It may have been deleted.")
            return _stored(row)

    def list(self, owners: Collection[str], limit: int = 100) -> builtins.list[StoredPlan]:
        """Plans of these owners and pinned ones, pinned before all, then the newest first; those of the app last."""
        query = newest_first(PlanRow).where(shown_to(PlanRow, owners)).limit(limit)
        with self.session() as session:
            return [*map(_stored, session.scalars(query)), *shipped().values()]

    def checked_name(self, name: str) -> str:
        """A name as it is stored.

        Raises:
            InputError: It is too long, or empty.
        """
        name = super().checked_name(name)
        if not name:
            raise InputError("A plan needs a name.")
        return name


@cache
def plan_store(database: str) -> PlanStore:
    """The plans of this process in the database with this SQLAlchemy URL."""
    return PlanStore(database)


def _stored(row: PlanRow) -> StoredPlan:
    plan = Plan.model_validate(json.loads(row.body) | {"name": row.name})
    return StoredPlan(row.id, row.owner, plan, row.created.replace(tzinfo=UTC), row.pinned)


@cache
def shipped() -> dict[str, StoredPlan]:
    """The plans that come with the app, by their ids, which are the names of their files."""
    files = sorted(FOLDER.glob("*.json"))
    return {
        file.stem: StoredPlan(file.stem, APP.owner, read_plan(file.name, file.read_bytes())) for file in files
    }


# Files


class PlanFile(Plan):
    """A plan as a file."""

    type: Literal["plan"] = "plan"
    version: int = FORMAT_VERSION


def plan_file(plan: Plan) -> str:
    """A plan as a text of JSON, to be kept or handed on."""
    return PlanFile(**dict(plan)).model_dump_json(indent=2) + "\n"


def read_plan(name: str, data: bytes) -> Plan:
    """The plan in a file that somebody gave us; nothing of it is trusted. `name` is for messages.

    Raises:
        InputError: It is none; the sentence says where it goes wrong.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"“{name}” is larger than the {MAX_BYTES // 2**20} MB that a plan may have.")
    try:
        value = read_json(data)
    except ValueError:
        value = None
    if not isinstance(value, dict) or value.get("type") != "plan":
        raise InputError(f"“{name}” is not a plan. Choose a file that was exported from one.")
    version = value.pop("version", None)
    if version != FORMAT_VERSION:
        raise InputError(
            f"“{name}” has another version of the format: this RAG Loupe reads version {FORMAT_VERSION}."
        )
    file = checked(PlanFile, value, f"“{name}” cannot be read")
    return Plan(**{field: getattr(file, field) for field in Plan.model_fields})


def checked(kind: type[F], value: object, says: str) -> F:
    """A plan or a question from plain values.

    Raises:
        InputError: They are not fit; `says` and where they go wrong.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise InputError(f"{says}: {fault(error)}.") from None


_PARTS = {"questions": "question", "options": "option"}
_SAID = {"extra_forbidden": "there is no such field", "string_too_short": "it is empty"}
_PYDANTIC = re.compile(r"^Value error, |^(?:Tuple|String|Input) (?=should)| after validation, not \d+$")


def fault(error: ValidationError) -> str:
    """The first fault of a plan or a question in words, e.g. “question 2, option 1, text: …”; no text of theirs but
    the name of an unknown field."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    words: list[str] = []
    for part in first["loc"]:
        if isinstance(part, int) and words:
            words[-1] = f"{_PARTS.get(words[-1], words[-1])} {part + 1}"
        else:
            words.append(shortened(str(part), 40))
    said = _SAID.get(first["type"]) or _PYDANTIC.sub("", first["msg"])
    return visible(f"{', '.join(words)}: {said}" if words else said)
