"""Deleting what is older than the settings say: once after the start and every day, in the background."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select, update

from core.classroom.erasing import Erasing, in_words
from core.classroom.store import ClassRow, ClassStore, MemberRow, class_store
from core.models.spending import spending_store
from core.runs.workbench import Workbench
from core.wording import counted

log = logging.getLogger(__name__)

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
    """Delete what is too old by the settings; blocks. Several processes may do it at once."""
    settings = bench.settings
    if settings.limits_days:
        spending_store(settings.database).delete_before(days_ago(0).date())
    if settings.keep_nicknames_days:
        forget_nicknames(class_store(settings.database), days_ago(settings.keep_nicknames_days))
    if settings.keep_days:
        counts, problems = Erasing(bench, days_ago(settings.keep_days)).result()
        if counts or problems:  # a warning, so that the log of the home has it
            age = counted(settings.keep_days, "day")
            log.warning("Older than %s, deleted: %s. %s", age, in_words(counts), " ".join(problems))


def forget_nicknames(classes: ClassStore, before: datetime) -> None:
    """Forget the nicknames in classes that were over before a moment, or, if nobody ended them, opened before it."""
    old = select(ClassRow.id).where(func.coalesce(ClassRow.ended, ClassRow.created) < before)
    with classes.session() as session:
        session.execute(update(MemberRow).where(MemberRow.classroom.in_(old)).values(nickname=""))
