"""Everything that belongs to somebody, in every table and folder, and its deletion: for an owner, or by age, which is
done once after the start and every day, in the background."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, delete, func, inspect, select
from sqlalchemy.orm import InstrumentedAttribute

from core.classroom.plans import PlanRow
from core.classroom.store import class_store
from core.classroom.tables import ClassRow, MemberRow, VoteRow
from core.corpora.contexts import ReplyRow
from core.corpora.entries import CorpusRow
from core.corpora.writing import uninterrupted
from core.errors import InputError, LoupeError
from core.evaluation.dataset_indexing import PREFIX
from core.evaluation.evaluation_store import EvaluationRow
from core.evaluation.pairs import runs_of
from core.evaluation.runner import evaluations_of
from core.evaluation.set_store import DataSetRow
from core.jobs import WatchedJob
from core.knowledge.store.graph_catalogue import GraphRow
from core.models.recordings.store import RecordingRow
from core.models.spending import spending_store
from core.runs import gallery
from core.runs.request import EVALUATION
from core.runs.store import ComparisonRow, RunRow
from core.runs.workbench import Workbench
from core.trace.events import now
from core.users import APP
from core.wording import counted, listed

log = logging.getLogger(__name__)

DAY_SECONDS = 24 * 3600.0
NOBODY = ("", APP.owner, gallery.OWNER, EVALUATION)
"""Owners that are no person: the teacher where nobody had an id, the app, its gallery, and evaluations, whose runs go
with them."""
STOP_SECONDS = 10.0
"""Longest time that an evaluation under way is given to end before it is deleted."""
MOST_PINNED = 10_000
"""Pinned comparisons and evaluations that are looked through."""

Extent = str | datetime
"""An owner, all of whose things are deleted, pinned or not; or a moment (UTC, without a zone), before which all is
deleted that goes with age and is not pinned."""


@dataclass(frozen=True)
class Kind:
    """Rows of one table that belong to somebody; rows that refer to them go with them."""

    name: str
    """For several."""
    owner: InstrumentedAttribute[str]
    """The column that says whose they are."""
    key: Any = None
    """The column by which one is deleted, where that is more than rows; None: it is not."""
    delete: Callable[[Workbench, str], Awaitable[object]] | None = None
    """Deletes one by its key. After a kill in the middle it can be called again."""
    ages: bool = False
    """True if they go with age."""

    def within(self, extent: Extent) -> list[ColumnElement[bool]]:
        """Conditions that a row is meant."""
        if isinstance(extent, str):
            return [self.owner == extent]
        row = self.owner.class_
        return [row.created < extent, ~row.pinned]


async def _delete_evaluation(bench: Workbench, key: str) -> None:
    evaluations = evaluations_of(bench)
    if (job := evaluations.job(key)) is not None:
        await asyncio.to_thread(job.stop, STOP_SECONDS)
    of_evaluations = await asyncio.to_thread(_values, bench, RunRow.id, RunRow.owner == EVALUATION)
    evaluation = await asyncio.to_thread(evaluations.store.get, key)
    for run in runs_of(evaluation).intersection(of_evaluations):
        await bench.launcher.delete(run)
    await uninterrupted(evaluations.store.delete, key)


async def _delete_indexes(bench: Workbench) -> None:
    """Delete the corpora that were made of data sets, and that no evaluation searches any more."""
    searched = await asyncio.to_thread(evaluations_of(bench).store.corpora)
    for corpus in await asyncio.to_thread(bench.corpora.catalogue.corpora):
        if corpus.name.startswith(PREFIX) and not corpus.owner and corpus.id not in searched:
            await uninterrupted(bench.corpora.delete, corpus.name)


KINDS = (
    Kind(
        "corpora",
        CorpusRow.owner,
        CorpusRow.name,
        lambda bench, key: uninterrupted(bench.corpora.delete, key),
    ),
    Kind("graphs", GraphRow.owner, GraphRow.name, lambda bench, key: uninterrupted(bench.graphs.delete, key)),
    Kind("evaluations", EvaluationRow.owner, EvaluationRow.id, _delete_evaluation, ages=True),
    Kind("runs", RunRow.owner, RunRow.id, lambda bench, key: bench.launcher.delete(key), ages=True),
    Kind("comparisons", ComparisonRow.owner, ages=True),
    Kind("data sets", DataSetRow.owner),
    Kind("recordings", RecordingRow.owner),
    Kind("contexts of chunks", ReplyRow.owner),
    Kind("votes", VoteRow.member),
    Kind("memberships of classes", MemberRow.member),
    Kind("classes", ClassRow.owner, ages=True),
    Kind("plans", PlanRow.owner),
)
"""Everything, in the order in which it is deleted."""


def _values(bench: Workbench, column: Any, *conditions: ColumnElement[bool]) -> list[Any]:
    with bench.store.session() as session:
        return [*session.scalars(select(column).where(*conditions))]


def _kinds(bench: Workbench, extent: Extent) -> list[Kind]:
    """The kinds that may be meant, and whose table was made."""
    there = inspect(bench.store.engine).get_table_names()
    chosen = [kind for kind in KINDS if kind.ages or isinstance(extent, str)]
    return [kind for kind in chosen if kind.owner.class_.__tablename__ in there]


def count(bench: Workbench, owner: str) -> dict[str, int]:
    """Name of a kind -> how many belong to an owner, for the kinds of which there are any. Blocks for a moment.

    Raises:
        StoreError: The database cannot be read.
    """
    kinds = _kinds(bench, owner)
    counts = {kind.name: _values(bench, func.count(), *kind.within(owner))[0] for kind in kinds}
    return {name: number for name, number in counts.items() if number}


def in_words(counts: Mapping[str, int]) -> str:
    """Numbers of things as a sentence lists them."""
    return listed([f"{name} ({number:,})" for name, number in counts.items()] or ["nothing"])


def _runs_of_pinned(bench: Workbench) -> set[str]:
    """Ids of the runs of pinned comparisons and evaluations, which no age deletes."""
    runs = {run for comparison in bench.comparisons.list((), MOST_PINNED) for run in comparison.runs}
    return runs.union(*map(runs_of, evaluations_of(bench).store.list((), MOST_PINNED)))


class Outcome(NamedTuple):
    """The outcome of deleting."""

    counts: Mapping[str, int]
    """Name of a kind -> number that was deleted."""
    problems: tuple[str, ...]
    """Sentences about what could not be deleted; it can be tried again."""


class Erasing(WatchedJob[Outcome, tuple[float, str]]):
    """The deletion of what is meant, in the background. After a stop or a kill it can be begun again, and goes on with
    what is left. Its progress is the share that is done, and the rest in words."""

    def __init__(self, bench: Workbench, extent: Extent) -> None:
        """Begin.

        Raises:
            InputError: The owner is nobody.
        """
        if extent in NOBODY:
            raise InputError(
                "This is no owner of a person's things. It is in the column `owner` of the tables."
            )
        super().__init__(self._erase(bench, extent), (0.0, "Deleting"))

    async def _erase(self, bench: Workbench, extent: Extent) -> Outcome:
        counts, problems = Counter[str](), dict[str, None]()
        kinds = await asyncio.to_thread(_kinds, bench, extent)
        stay = await asyncio.to_thread(_runs_of_pinned, bench) if isinstance(extent, datetime) else set()
        for place, kind in enumerate(kinds):
            self.tell((place / len(kinds), f"Deleting {kind.name}"))
            if kind.delete is None:
                counts[kind.name] = await uninterrupted(_delete_rows, bench, kind, extent)
                continue
            keys = await asyncio.to_thread(_values, bench, kind.key, *kind.within(extent))
            for key in keys:
                if key in stay:
                    continue
                try:
                    await kind.delete(bench, key)
                    counts[kind.name] += 1
                except LoupeError as error:
                    problems[f"Not all {kind.name} could be deleted. {error}"] = None
        if isinstance(extent, str):
            try:
                await _delete_indexes(bench)
            except LoupeError as error:
                problems[f"Not all documents of data sets could be deleted. {error}"] = None
        return Outcome(+counts, tuple(problems))


def _delete_rows(bench: Workbench, kind: Kind, extent: Extent) -> int:
    with bench.store.session() as session:
        rows = delete(kind.owner.class_).where(*kind.within(extent)).returning(kind.owner)
        return len(session.scalars(rows).all())


# By age


def days_ago(days: int) -> datetime:
    """A moment that many days ago, UTC without a zone, as rows have it."""
    return (now() - timedelta(days=days)).replace(tzinfo=None)


async def every_day(bench: Workbench) -> None:
    """Delete what is too old, now and every day, without end."""
    while True:
        try:
            await asyncio.to_thread(clean_up, bench)
        except Exception:  # tomorrow it is tried again
            log.exception("What is too old could not be deleted")
        await asyncio.sleep(DAY_SECONDS)


def clean_up(bench: Workbench) -> None:
    """Delete what is too old by the settings; blocks. Several processes may do it at once."""
    settings = bench.settings
    if settings.limits_days:
        spending_store(settings.database).delete_before(now().date())
    if settings.keep_nicknames_days:
        class_store(settings.database).forget_nicknames(days_ago(settings.keep_nicknames_days))
    if settings.keep_days:
        counts, problems = Erasing(bench, days_ago(settings.keep_days)).result()
        if counts or problems:  # a warning, so that the log of the home has it
            age = counted(settings.keep_days, "day")
            log.warning("Older than %s, deleted: %s. %s", age, in_words(counts), " ".join(problems))
