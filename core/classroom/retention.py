"""Deleting what is older than the settings say: at the start and every day, in the background."""

from __future__ import annotations

import asyncio
import logging
import secrets
from datetime import UTC, datetime, timedelta

from sqlalchemy import exists, func, inspect, or_, select, update

from core.classroom.erasing import Erased, Erasing, in_words
from core.classroom.handing_in import HandInRow
from core.classroom.store import ClassRow, ClassStore, MemberRow, VoteRow, class_store
from core.database import one_process
from core.owned import Extent
from core.runs.workbench import Workbench
from core.wording import counted

log = logging.getLogger(__name__)

FORGOTTEN = "forgotten-"
"""Beginning of the random id that stands for a member who is no longer known."""
DAY_SECONDS = 24 * 3600.0


def days_ago(days: int) -> datetime:
    """A moment that many days ago, UTC without a zone, as rows have it."""
    return (datetime.now(UTC) - timedelta(days=days)).replace(tzinfo=None)


async def every_day(bench: Workbench) -> None:
    """Delete what is too old, now and every day, without end."""
    while True:
        try:
            await asyncio.to_thread(clean_up, bench)
        except Exception:  # tomorrow it is tried again
            log.exception("What is too old could not be deleted")
        await asyncio.sleep(DAY_SECONDS)


def clean_up(bench: Workbench) -> None:
    """Delete what is too old by the settings, and log how much that was; where another process is deleting, it is left
    to that one. Blocks; not for the event loop."""
    settings = bench.settings
    if settings.keep_days:
        with one_process(bench.store.engine) as chosen:
            if chosen:
                erased = Erasing(bench, Extent(before=days_ago(settings.keep_days))).result()
                if settings.limits_days:
                    bench.backends.models.spending.store.delete_before(days_ago(0).date())
                _log(f"Older than {counted(settings.keep_days, 'day')}, deleted", erased)
    if settings.keep_nicknames_days and inspect(bench.store.engine).has_table(ClassRow.__tablename__):
        members = forget_members(class_store(bench.settings.database), days_ago(settings.keep_nicknames_days))
        _log("In old classes, forgotten", Erased({"membership of a class": members} if members else {}))


def forget_members(store: ClassStore, before: datetime) -> int:
    """Forget who took part in classes that were over before a moment, or, if nobody ended them, opened before it.

    Votes stay, and are nobody's. What was handed in names its member, who stays without a nickname and without votes.

    Args:
        store: The classes.
        before: UTC, without a zone.

    Returns:
        The number of members of whom something was forgotten.
    """
    handed_in, voted = (
        exists().where(table.classroom == MemberRow.classroom, table.member == MemberRow.member)
        for table in (HandInRow, VoteRow)
    )
    old = select(MemberRow.classroom, MemberRow.member, handed_in).join(
        ClassRow,
        (ClassRow.id == MemberRow.classroom) & (func.coalesce(ClassRow.ended, ClassRow.created) < before),
    )
    known = or_(MemberRow.nickname != "", voted, ~handed_in) & ~MemberRow.member.startswith(FORGOTTEN)
    with store.session() as session:
        members = session.execute(old.where(known)).all()
    for classroom, member, stays in members:
        nobody = f"{FORGOTTEN}{secrets.token_hex(12)}"
        with store.session() as session:
            for table, values in (
                (VoteRow, {"member": nobody}),
                (MemberRow, {"nickname": ""} if stays else {"nickname": "", "member": nobody}),
            ):
                mine = update(table).where(table.classroom == classroom, table.member == member)
                session.execute(mine.values(values))
    return len(members)


def _log(what: str, erased: Erased) -> None:
    """Log what was deleted, if anything was: as a warning, so that the log of the home has it."""
    if erased.counts or erased.problems:
        log.warning("%s: %s. %s", what, in_words(erased.counts), " ".join(erased.problems))
