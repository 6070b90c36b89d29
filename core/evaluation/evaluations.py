"""The evaluations of one process, both running and stored."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cached_property, lru_cache

from core.evaluation.evaluation_store import EvaluationStore
from core.evaluation.runner import EvaluationJob, New
from core.models.choice import AS_CONFIGURED, ChatChoice
from core.runs.launch import RunLauncher
from core.runs.workbench import Workbench
from core.settings import Settings
from core.users import NotAllowed, User

ONLY_THE_TEACHER = "On this server, only the teacher starts evaluations and goes on with them."
KEPT_ENDED = 20
"""Ended jobs that stay in memory."""


def may_evaluate(settings: Settings, by: User) -> bool:
    """True if a user may start evaluations, which make many calls, mostly with the server's key."""
    return by.teacher or (settings.evaluations or ("teacher" if settings.has_teacher else "all")) == "all"


class Evaluations:
    """The evaluations of one process; thread-safe. An evaluation outlives the page and session that began it."""

    def __init__(self, launcher: RunLauncher) -> None:
        self._launcher = launcher
        self._jobs: list[EvaluationJob] = []
        self._lock = threading.Lock()

    @cached_property
    def store(self) -> EvaluationStore:
        """The store of evaluations and their pairs."""
        return EvaluationStore(self._launcher.settings.database)

    def start(
        self, what: New | str, by: User, *, limit: int | None = None, chat: ChatChoice = AS_CONFIGURED
    ) -> EvaluationJob:
        """Begin or continue an evaluation in the background; see `EvaluationJob`. A running one is not begun again.

        Raises:
            InputError: A setting cannot be used.
            NotAllowed: The user may start no evaluations here.
        """
        if not may_evaluate(self._launcher.settings, by):
            raise NotAllowed(ONLY_THE_TEACHER)
        owner = by.owner
        with self._lock:
            for job in self._jobs:
                same = (job.what, _steady(job.chat), job.owner) == (what, _steady(chat), owner)
                mine = job.id == what or same
                if mine and not job.done and not job.pausing:
                    return job
            job = EvaluationJob(self._launcher, self.store, what, owner, limit=limit, chat=chat)
            ended = [other for other in self._jobs if other.done]
            self._jobs = [other for other in self._jobs if other not in ended[:-KEPT_ENDED]] + [job]
        return job

    def job(self, evaluation: str) -> EvaluationJob | None:
        """The latest job of this process for an evaluation, running or ended."""
        with self._lock:
            mine = [job for job in self._jobs if job.id == evaluation]
        return mine[-1] if mine else None

    def preparing(self, owner: str) -> EvaluationJob | None:
        """A new job of this owner whose evaluation has no id yet, since its documents are being indexed."""
        return next((job for job in self.running() if job.owner == owner and not job.id), None)

    def running(self) -> list[EvaluationJob]:
        """The jobs that are running in this process."""
        with self._lock:
            return [job for job in self._jobs if not job.done]


def _steady(chat: ChatChoice) -> ChatChoice:
    """A choice that stays the same while more is kept in the recording that it plays."""
    if chat.play is None:
        return chat
    return replace(chat, play=replace(chat.play, recording=replace(chat.play.recording, replies=0, bytes=0)))


@lru_cache(maxsize=1)
def evaluations_of(bench: Workbench) -> Evaluations:
    """The evaluations of a workbench."""
    return Evaluations(bench.launcher)
