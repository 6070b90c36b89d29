"""What came of a check, and where it is kept: per model and server, or per model and file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from sqlalchemy import String, Text, bindparam, delete, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.database import Lookup, Store
from core.models.reach.marks import ModelMark
from core.skills import SKILLS
from core.skills.base import MODEL, Method
from core.trace.passages import Frozen


class ProbeResult(Frozen):
    """How a model did in one probe."""

    key: str
    does: str
    """What it can do if it passed."""
    right: int
    asked: int
    """Items until it was clear that too many are wrong; all of them, where it was not."""
    passed: bool
    skills: tuple[str, ...]
    """Keys of the skills that this decides."""


class CheckResult(Frozen):
    """What a model can do."""

    model: str
    """Its name."""
    version: int
    """Of the items."""
    created: datetime
    """UTC."""
    seconds: float
    probes: tuple[ProbeResult, ...]

    @property
    def cannot(self) -> frozenset[str]:
        """Keys of the skills that the model's own method is not good enough for."""
        return frozenset(skill for probe in self.probes if not probe.passed for skill in probe.skills)

    def methods(self) -> Iterator[tuple[str, ProbeResult, str]]:
        """Each skill that is known today, what decided it, and its method from now on where nobody picks one."""
        for probe in self.probes:
            for key in probe.skills:
                if key in SKILLS:
                    yield key, probe, MODEL if probe.passed else SKILLS[key].spare

    def replaced(self) -> Iterator[tuple[str, ProbeResult, Method]]:
        """The skills that are done by another method than the model's own judgement."""
        for key, probe, method in self.methods():
            if method != MODEL:
                yield key, probe, SKILLS[key].method(method)

    def helpless(self) -> list[str]:
        """Keys of the skills that the model cannot do and for which there is no other method."""
        return [key for key, probe, method in self.methods() if method == MODEL and not probe.passed]


KEPT_SECONDS = 0.2
"""How long a check that was read is used before the database is asked again."""


class Base(DeclarativeBase):
    """Holds the metadata of the table."""


class ModelCheckRow(Base):
    """The last check of one model."""

    __tablename__ = "model_checks"

    place: Mapped[str] = mapped_column(String(255), primary_key=True)
    """See `ModelMark.place`."""
    model: Mapped[str] = mapped_column(String(255), primary_key=True)
    created: Mapped[datetime]
    """UTC; without a zone because SQLite keeps none."""
    version: Mapped[int]
    body: Mapped[str] = mapped_column(Text)


class CheckStore(Store):
    """The last check of each model; no key is ever in it."""

    tables = Base.metadata

    def __init__(self, database: str) -> None:
        """Open it; `database` is a SQLAlchemy URL."""
        super().__init__(database)
        row = ModelCheckRow
        of = row.place == bindparam("place"), row.model == bindparam("model")
        self._body = Lookup(self.engine, select(row.body).where(*of))
        self._kept: dict[ModelMark, tuple[float, CheckResult | None]] = {}

    def result(self, mark: ModelMark) -> CheckResult | None:
        """The last check of a model; None: it was never checked, or by a version of the app that is not understood.

        A page asks several times while it is drawn; what another server has found is seen a moment later.

        Raises:
            StoreError: The database cannot be read.
        """
        until, found = self._kept.get(mark, (0.0, None))
        if time.monotonic() < until:
            return found
        body = self._body(place=mark.place, model=mark.model)
        try:
            found = CheckResult.model_validate_json(body) if body else None
        except ValueError:
            found = None
        self._kept[mark] = time.monotonic() + KEPT_SECONDS, found
        return found

    def put(self, mark: ModelMark, result: CheckResult) -> None:
        """Keep a check in the place of an earlier one.

        Raises:
            StoreError: The database cannot be written.
        """
        with self.session() as session:
            session.merge(
                ModelCheckRow(
                    place=mark.place,
                    model=mark.model,
                    created=result.created.astimezone(UTC).replace(tzinfo=None),
                    version=result.version,
                    body=result.model_dump_json(),
                )
            )
        self._kept.pop(mark, None)

    def forget(self, mark: ModelMark) -> None:
        """Let the model do everything itself again.

        Raises:
            StoreError: The database cannot be written.
        """
        with self.session() as session:
            row = ModelCheckRow
            session.execute(delete(row).where(row.place == mark.place, row.model == mark.model))
        self._kept.pop(mark, None)
