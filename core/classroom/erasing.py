"""Deleting what belongs to somebody, or what is too old, as a job that can be begun again after a stop or a kill."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from core.classroom.belongings import KINDS, STOP_SECONDS, Kind
from core.errors import InputError, LoupeError
from core.evaluation.runner import evaluations_of
from core.jobs import Job, WatchedJob
from core.owned import Extent
from core.runs import gallery
from core.runs.request import EVALUATION
from core.runs.workbench import Workbench
from core.users import APP
from core.wording import counted, listed

OURS = ("", APP.owner, gallery.OWNER, EVALUATION)
"""Owners that are nobody: what the teacher, or somebody before there were owners, made without one, what comes with the
app, and the runs of evaluations, which go with their evaluation."""


def check_owner(owner: str) -> None:
    """Refuse an owner that is nobody.

    Raises:
        InputError: It is.
    """
    if owner in OURS:
        raise InputError(
            "This is no owner of a person's things. Ids of owners are in the column `owner` of the tables."
        )


def what_is_there(bench: Workbench, extent: Extent) -> dict[str, int]:
    """Kind -> number of things that are meant, for the kinds of which there are any. Blocks for a moment.

    Raises:
        ServiceError, StoreError: A database cannot be read.
    """
    counts = {kind.name: len(kind.keys(bench, extent)) for kind in _kinds(extent)}
    return {name: number for name, number in counts.items() if number}


def what_is_mine(bench: Workbench, owner: str) -> dict[str, int]:
    """Kind -> number of things of an owner; see `what_is_there`."""
    check_owner(owner)
    return what_is_there(bench, Extent(owner))


def in_words(counts: Mapping[str, int]) -> str:
    """Numbers of things as a sentence lists them."""
    names = {kind.name: kind.names for kind in KINDS}
    return listed([counted(number, name, names[name]) for name, number in counts.items()] or ["nothing"])


def _kinds(extent: Extent) -> Sequence[Kind]:
    """The kinds that may be meant: whatever its kind, what is somebody's; else what has an age."""
    return [kind for kind in KINDS if extent.owner or kind.expires]


@dataclass(frozen=True)
class Erased:
    """The outcome of deleting."""

    counts: Mapping[str, int]
    """Kind -> number that was deleted."""
    problems: tuple[str, ...] = ()
    """Sentences about what could not be deleted; it can be tried again."""


class Place(NamedTuple):
    """How far it is."""

    done: int = 0
    total: int = 0
    """0: not known yet."""


class Erasing(WatchedJob[Erased, Place]):
    """Everything within an extent being deleted in the background, one thing after the other. After a stop or a kill it
    can be begun again, and goes on with what is left."""

    def __init__(self, bench: Workbench, extent: Extent) -> None:
        super().__init__(self._erase(bench, extent), Place())

    @property
    def message(self) -> str:
        """The progress in a few words."""
        done, total = self.progress
        return f"Deleting: {done:,} of {total:,}" if total else "Looking for what is to be deleted"

    @property
    def share(self) -> float:
        """The part that is done, from 0 to 1."""
        return self.progress.done / self.progress.total if self.progress.total else 0.0

    async def _erase(self, bench: Workbench, extent: Extent) -> Erased:
        if extent.owner and extent.before is None:
            await _stop_work(bench, extent.owner)
        todo = [
            (kind, key)
            for kind in _kinds(extent)
            for key in await asyncio.to_thread(kind.keys, bench, extent)
        ]
        counts, problems = Counter[str](), dict[str, None]()
        for done, (kind, key) in enumerate(todo):
            self.tell(Place(done, len(todo)))
            try:
                await kind.delete(bench, key)
                counts[kind.name] += 1
            except LoupeError as error:
                problems[f"A {kind.name} could not be deleted. {error}"] = None
        return Erased(dict(counts), tuple(problems))


async def _stop_work(bench: Workbench, owner: str) -> None:
    """Stop what an owner has under way in this process, and wait until it has ended."""
    working: list[Job[Any]] = [
        *bench.corpora.running(owner),
        *(job for job in bench.builds.running() if job.owner == owner),
        *(job for job in evaluations_of(bench).running() if job.owner == owner),
        *filter(None, map(bench.launcher.job, bench.launcher.begun_by(owner))),
    ]
    await asyncio.gather(*(asyncio.to_thread(job.stop, STOP_SECONDS) for job in working))


@lru_cache(maxsize=1)
def _under_way(_: Workbench) -> dict[str, Erasing]:
    return {}


def erase(bench: Workbench, owner: str) -> Erasing:
    """Delete everything that belongs to an owner, pinned things too, in the background; what is under way in this
    process is returned. Work of theirs that this process does is stopped before.

    What others made of it stays, such as a comparison with a run of theirs.

    Raises:
        InputError: The owner is nobody.
    """
    check_owner(owner)
    jobs = _under_way(bench)
    if owner not in jobs or jobs[owner].done:
        jobs[owner] = Erasing(bench, Extent(owner))
    return jobs[owner]
