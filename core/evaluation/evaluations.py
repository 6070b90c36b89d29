"""The evaluations of one process, under way and stored."""

from __future__ import annotations

import threading
from functools import cached_property, lru_cache

from core.errors import InputError
from core.evaluation.runner import EvaluationJob, New
from core.evaluation.store import EvaluationStore
from core.models.endpoint import ChatEndpoint
from core.runs.workbench import Workbench

KEPT_ENDED = 20
"""Ended jobs that stay in memory."""


class Evaluations:
    """The evaluations of one workbench; thread-safe. One outlives the page and the session that began it."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._jobs: list[EvaluationJob] = []
        self._lock = threading.Lock()

    @cached_property
    def store(self) -> EvaluationStore:
        """Evaluations and their pairs."""
        return EvaluationStore(self._bench.settings.database)

    def start(
        self, what: New | str, owner: str, *, limit: int | None = None, endpoint: ChatEndpoint | None = None
    ) -> EvaluationJob:
        """Begin, or go on, in the background; see `EvaluationJob`.

        Raises:
            InputError: A setting cannot be used, or this evaluation is under way here.
        """
        with self._lock:
            if any(job.evaluation and job.evaluation.id == what and not job.done for job in self._jobs):
                raise InputError("This evaluation is under way already.")
            job = EvaluationJob(self._bench, self.store, what, owner, limit=limit, endpoint=endpoint)
            ended = [other for other in self._jobs if other.done]
            self._jobs = [other for other in self._jobs if other not in ended[:-KEPT_ENDED]] + [job]
        return job

    def job(self, evaluation: str) -> EvaluationJob | None:
        """The latest job of this process for an evaluation, under way or ended."""
        with self._lock:
            mine = [job for job in self._jobs if job.evaluation and job.evaluation.id == evaluation]
        return mine[-1] if mine else None

    def running(self) -> list[EvaluationJob]:
        """Those under way in this process."""
        with self._lock:
            return [job for job in self._jobs if not job.done]


@lru_cache(maxsize=1)
def evaluations_of(bench: Workbench) -> Evaluations:
    """The evaluations of a workbench."""
    return Evaluations(bench)
