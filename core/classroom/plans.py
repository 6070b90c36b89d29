"""Plans: questions in the order of a class, with notes for the teacher; in the database and as files.

A plan is a copy: it can be used where its runs are not stored. Plans that come with the app lie in `data/plans` and are
never written into the database.
"""

from __future__ import annotations

import builtins
import json
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, ValidationError
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from core.cards.texts import visible
from core.classroom.questions import MoreText, Question
from core.classroom.store import MAX_QUESTIONS
from core.classroom.tables import Base
from core.errors import InputError
from core.owned import MAX_NAME, OwnedRow, OwnedRows, newest_first, shown_to
from core.strict_json import read_json
from core.trace.passages import Frozen
from core.users import APP
from core.wording import shortened

FOLDER = Path(__file__).parents[2] / "data" / "plans"
MAX_BYTES = 2**20
"""Of a file; the longest plan has fewer."""


def _line(value: object) -> object:
    return " ".join(visible(value).split()) if isinstance(value, str) else value


class Plan(Frozen):
    """Questions in order, with what the teacher needs to give the class, as a file has them. No text is markup."""

    type: Literal["plan"] = "plan"
    version: Literal[1] = 1
    """Of the format of the file."""
    name: Annotated[str, StringConstraints(max_length=MAX_NAME), BeforeValidator(_line)]
    notes: MoreText = ""
    """For the teacher: what to prepare, how to begin, how to end."""
    questions: tuple[Question, ...] = Field(default=(), max_length=MAX_QUESTIONS)

    @property
    def minutes(self) -> int:
        """Time that the questions are planned to take."""
        return sum(question.minutes for question in self.questions)


class PlanRow(OwnedRow, Base):
    """A plan that somebody saved."""

    __tablename__ = "class_plans"

    body: Mapped[str] = mapped_column(Text)
    """The plan as JSON, but for its name."""


@dataclass(frozen=True)
class StoredPlan:
    """A plan with its place in a list."""

    id: str
    owner: str
    plan: Plan
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
        """Store a plan in place of this owner's with the id `key`, else as a new one."""
        body = plan.model_dump_json(exclude={"name"})
        with self.session() as session:
            row = session.get(PlanRow, key) if key else None
            if row is None or row.owner != owner:
                row = PlanRow(id=secrets.token_hex(8), owner=owner)
                session.add(row)
            row.name, row.body = plan.name, body
            session.flush()
            return _stored(row)

    def list(self, owners: Collection[str] | None) -> builtins.list[StoredPlan]:
        """Plans of these owners (None: everybody's) and pinned ones, pinned before all, then the newest first, at most
        100; those of the app last."""
        query = newest_first(PlanRow).limit(100)
        if owners is not None:
            query = query.where(shown_to(PlanRow, owners))
        with self.session() as session:
            return [*map(_stored, session.scalars(query)), *shipped().values()]


@cache
def plan_store(database: str) -> PlanStore:
    """The plans of this process in the database with this SQLAlchemy URL."""
    return PlanStore(database)


def _stored(row: PlanRow) -> StoredPlan:
    plan = Plan.model_validate(json.loads(row.body) | {"name": row.name})
    return StoredPlan(row.id, row.owner, plan, row.pinned)


@cache
def shipped() -> dict[str, StoredPlan]:
    """The plans that come with the app, by their ids, which are the names of their files."""
    files = sorted(FOLDER.glob("*.json"))
    return {
        file.stem: StoredPlan(file.stem, APP.owner, read_plan(file.name, file.read_bytes())) for file in files
    }


# Files


def plan_file(plan: Plan) -> str:
    """A plan as a text of JSON, to be kept or handed on."""
    return plan.model_dump_json(indent=2) + "\n"


def read_plan(name: str, data: bytes) -> Plan:
    """The plan in a file that somebody gave us; nothing of it is trusted. `name` is for messages.

    Raises:
        InputError: It is none; the sentence says where it goes wrong.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"“{name}” is larger than the {MAX_BYTES // 2**20} MB that a plan may have.")
    try:
        return Plan.model_validate(read_json(data))
    except ValidationError as error:
        raise InputError(f"“{name}” cannot be read as a plan. Correct this: {_fault(error)}.") from None
    except ValueError:
        raise InputError(f"“{name}” is not a plan. Choose a file that was exported from one.") from None


def _fault(error: ValidationError) -> str:
    """The first fault of a plan, e.g. “questions.1.text: string should have …”; no text of the file but the names of
    unknown fields."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = shortened(".".join(map(str, first["loc"])), 60)
    return visible(f"{place}: {first['msg'].lower()}")
