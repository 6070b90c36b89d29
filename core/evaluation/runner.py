"""An evaluation as a background job: every question through every setting, each pair kept as it is done; and all jobs
of one process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

from core.corpora.reports import Progress
from core.corpora.writing import HOLD_SECONDS, uninterrupted, writing
from core.errors import InputError, LoupeError
from core.evaluation.dataset_indexing import document_keys, index_for
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.datasets import DataSet
from core.evaluation.evaluation_store import EvaluationStore
from core.evaluation.pairs import (
    Prepared,
    asks_model,
    check_settings,
    prepare,
    request_of,
    result_of,
    run_of,
    run_search,
    run_stored,
)
from core.evaluation.plan import Evaluation, Pair, Result, Setting, Spec, Sweep, check_same
from core.jobs import Job, at_once
from core.models.chat_models import CONFIGURED, ChatModel
from core.runs.engine import sentence
from core.runs.launch import RunLauncher
from core.runs.workbench import Workbench
from core.settings import Settings
from core.users import TEACHER, NotAllowed, User
from core.wording import duration

AT_ONCE = 4
"""Number of questions asked at once at an endpoint."""
BUILTIN_AT_ONCE = 2
"""Number for the built-in model, which writes four replies at once: some strategies ask for several themselves."""
MOST_AT_ONCE = 64
NO_MODEL_AT_ONCE = 32
"""Number if no model is asked: queries that come together are searched together."""
FAILED_IN_A_ROW = 10
"""Number of failures in a row after which an evaluation pauses: the questions cannot be the cause."""
FREE_SECONDS = 0.25
"""Longest time that an outcome may wait in memory if making it again costs nothing."""
BUSY = "Another process is working on this evaluation. Wait until it has ended, or pause it there."
_JUDGED = 50
"""Number of recent pairs from which the rate is computed."""


class ResultWriter:
    """Writes outcomes as they come; outcomes that come during a write go together into the next write."""

    def __init__(self, store: EvaluationStore, evaluation: str, writer: str, pause: float) -> None:
        self._store, self._evaluation, self._writer, self._pause = store, evaluation, writer, pause
        self._waiting: dict[Pair, Result | str] = {}
        self._turn = asyncio.Lock()
        self._last = time.monotonic()

    async def add(self, pair: Pair, outcome: Result | str) -> None:
        """Take an outcome; without a pause between writes it is written when this returns."""
        self._waiting[pair] = outcome
        if time.monotonic() - self._last >= self._pause:
            await self.write()

    async def write(self) -> None:
        """Write the waiting outcomes."""
        self._last = time.monotonic()
        async with self._turn:
            mine, self._waiting = self._waiting, {}
            if mine:
                await uninterrupted(self._store.note, self._evaluation, self._writer, mine)


@dataclass(frozen=True)
class New:
    """A new evaluation."""

    dataset: DataSet
    """Data set with the questions to ask, perhaps a sample."""
    settings: tuple[Setting, ...]
    seed: int | None = None
    """Seed of the sample."""
    retrieval_only: bool = False
    baseline: str = ""
    """Label of a setting; empty: the first setting."""
    sweep: Sweep | None = None
    """Set if the settings are those of a sweep."""


class EvaluationJob(Job[Evaluation]):
    """An evaluation in progress. Stopping it loses no finished pair."""

    def __init__(
        self,
        launcher: RunLauncher,
        store: EvaluationStore,
        what: New | str,
        by: User = TEACHER,
        *,
        limit: int | None = None,
        chat: ChatModel = CONFIGURED,
    ) -> None:
        """Begin in the background.

        Args:
            what: A new evaluation, which continues an unfinished one of exactly the same work; or the id of a stored
                evaluation to continue, including its failed questions.
            by: Who asks for it; their name is told the server's endpoint, and a new one is theirs.
            limit: Number of questions asked at once, from 1 to 64; None: a number that suits the model.
            chat: Which chat model answers, or which recording plays.

        Raises:
            InputError: A setting cannot be used.
        """
        self._launcher, self._store = launcher, store
        self.what, self.owner, self.chat = what, by.owner, chat
        self._by = by
        self._limit = limit
        self.evaluation: Evaluation | None = None
        """The evaluation as it was when asking began; None: it is being prepared."""
        self.indexing: Progress | None = None
        """Set while documents are indexed."""
        self.halted = ""
        """The reason why the job paused by itself; empty: it did not."""
        self.pausing = False
        """True once the job was told to pause, or paused by itself."""
        self.pairs = 0
        """Pairs of the whole evaluation."""
        self.pairs_done, self.pairs_failed = 0, 0
        """Numbers of pairs done and failed, including earlier sessions of work; failed pairs are tried again."""
        self._failed_in_a_row = 0
        self._times: deque[float] = deque(maxlen=_JUDGED)
        if isinstance(what, New):
            builtin = chat.is_builtin(launcher.settings)
            check_settings(what.settings, what.retrieval_only, builtin=builtin)
            if what.baseline and what.baseline not in [setting.label for setting in what.settings]:
                raise InputError(f"The baseline “{what.baseline}” is not among what is evaluated.")
        if limit is not None and not 1 <= limit <= MOST_AT_ONCE:
            raise InputError(f"From 1 to {MOST_AT_ONCE} questions can be asked at once.")
        super().__init__(self._run(what))

    @property
    def id(self) -> str:
        """Id of the evaluation; empty until a new evaluation is stored."""
        if isinstance(self.what, str):
            return self.what
        return self.evaluation.id if self.evaluation else ""

    def pause(self) -> None:
        """Begin no further questions. Those in progress are finished, so that nothing is paid for twice."""
        self.pausing = True

    @property
    def rate(self) -> float | None:
        """Recent pairs per second; None: too early to tell."""
        times = list(self._times)
        return (len(times) - 1) / max(1e-6, times[-1] - times[0]) if len(times) > 1 else None

    @property
    def message(self) -> str:
        """The progress in a few words."""
        if self.evaluation is None:
            if self.indexing is None:
                return "Getting ready"
            return f"Indexing: {self.indexing.chunks:,} chunks"
        doing = "Pausing: the last questions are finished" if self.pausing else "Asking"
        open_, rate = self.pairs - self.pairs_done - self.pairs_failed, self.rate
        failed = f", {self.pairs_failed:,} failed" if self.pairs_failed else ""
        left = f", about {duration(open_ / rate)} left" if rate and open_ else ""
        return f"{doing}: {self.pairs_done:,} of {self.pairs:,} done{failed}{left}"

    async def _run(self, what: New | str) -> Evaluation:
        prepared = None
        if isinstance(what, str):
            evaluation = await asyncio.to_thread(self._store.get, what)
        else:
            evaluation, prepared = await self._begun(what)
        # Patience until the hold of a killed process has ended.
        async with writing(self._store, evaluation.id, HOLD_SECONDS + 1, BUSY) as writer:
            await self._work(evaluation, writer, prepared)
        return await asyncio.to_thread(self._store.get, evaluation.id)

    async def _begun(self, what: New) -> tuple[Evaluation, list[Prepared]]:
        """Index the documents and store a new evaluation, or find an unfinished one of the same work; each of its
        settings is prepared."""
        corpus, settings = await index_for(
            what.dataset, what.settings, self._launcher.sources.corpora, partial(setattr, self, "indexing")
        )
        questions = what.dataset.questions
        spec = Spec(
            dataset=what.dataset.name,
            dataset_key=what.dataset.key,
            corpus=corpus.name,
            corpus_id=corpus.id,
            corpus_version=corpus.version,
            settings=settings,
            seed=what.seed,
            retrieval_only=what.retrieval_only,
            baseline=what.baseline or what.settings[0].label,
            sweep=what.sweep,
        )
        spec, prepared = await prepare(self._launcher, spec, questions[0], self.chat)
        key = await asyncio.to_thread(self._store.begin, spec, questions, self.owner)
        return await asyncio.to_thread(self._store.get, key), prepared

    async def _work(self, evaluation: Evaluation, writer: str, ready: list[Prepared] | None) -> None:
        """Ask the questions that are not done, as the only writer of the evaluation; its settings may be prepared."""
        spec = evaluation.spec
        keys: dict[str, str] = {}
        catalogue = self._launcher.sources.corpora.catalogue
        for indexed in {spec.corpus_of(setting) for setting in spec.settings}:
            corpus = await asyncio.to_thread(catalogue.corpus, indexed.name)
            if (corpus.id, corpus.version) != (indexed.id, indexed.version):
                raise InputError(f"“{corpus.name}” has changed since this evaluation began. Begin a new one.")
            keys |= await asyncio.to_thread(document_keys, catalogue, corpus.id)
        if (prepared := ready) is None:
            present, prepared = await prepare(self._launcher, spec, evaluation.questions[0], self.chat)
            check_same(spec, present)
        outcomes = await asyncio.to_thread(self._store.outcomes, evaluation.id)
        self.pairs_done, self.pairs = len(outcomes.done), evaluation.total
        self.evaluation = evaluation
        # Question by question, so that finished questions can be compared at any time.
        pairs = iter(
            [
                (place, question)
                for question in evaluation.questions
                for place in range(len(spec.settings))
                if (place, question.id) not in outcomes.done
            ]
        )
        free = not any(asks_model(setting, spec.retrieval_only) for setting in spec.settings)
        results = ResultWriter(self._store, evaluation.id, writer, FREE_SECONDS if free else 0.0)

        async def ask(place: int, question: LabelledQuestion) -> Result:
            setting, retriever = spec.settings[place], prepared[place][1].corpus
            if not asks_model(setting, spec.retrieval_only):
                record = await run_search(*prepared[place], question.text)
                return await result_of(record, question, keys, "", retriever)
            run = run_of(evaluation.id, setting.label, question.id)
            request = request_of(
                setting,
                question.text,
                spec.corpus_of(setting).name,
                retrieval_only=spec.retrieval_only,
                chat=self.chat,
                account=self._by,
            )
            record = await run_stored(self._launcher, request, run)
            return await result_of(record, question, keys, run, retriever)

        async def worker(pairs: Iterator[tuple[int, LabelledQuestion]]) -> None:
            for place, question in pairs:
                if self.pausing:
                    return
                outcome: Result | str
                try:
                    outcome = await ask(place, question)
                except LoupeError as error:
                    outcome = sentence(error)
                await results.add((place, question.id), outcome)
                self._count(outcome)

        try:
            limit = self._limit or (NO_MODEL_AT_ONCE if free else _suitable(spec))
            await at_once(worker(pairs) for _ in range(limit))
        finally:
            await results.write()
        if not self.pausing:
            await asyncio.to_thread(self._store.finish, evaluation.id, True)

    def _count(self, outcome: Result | str) -> None:
        """Note that a pair was tried; pause where the questions cannot be the cause of failures."""
        self._times.append(time.monotonic())
        if isinstance(outcome, Result):
            self.pairs_done += 1
            self._failed_in_a_row = 0
            return
        self.pairs_failed += 1
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= FAILED_IN_A_ROW and not self.pausing:
            self.halted = f"The last {self._failed_in_a_row} questions all failed, so it paused. {outcome}"
            self.pausing = True


def _suitable(spec: Spec) -> int:
    builtin = spec.builtin or (spec.playing is not None and spec.playing.missing == "builtin")
    return BUILTIN_AT_ONCE if builtin else AT_ONCE


ONLY_THE_TEACHER = "On this server, only the teacher can start and continue evaluations."
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
        self, what: New | str, by: User, *, limit: int | None = None, chat: ChatModel = CONFIGURED
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
            job = EvaluationJob(self._launcher, self.store, what, by, limit=limit, chat=chat)
            ended = [earlier for earlier in self._jobs if earlier.done]
            self._jobs = [earlier for earlier in self._jobs if earlier not in ended[:-KEPT_ENDED]] + [job]
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


def _steady(chat: ChatModel) -> ChatModel:
    """A choice that stays the same while more is kept in the recording that it plays."""
    if chat.play is None:
        return chat
    return replace(chat.play, recording=replace(chat.play.recording, replies=0, bytes=0))


@lru_cache(maxsize=1)
def evaluations_of(bench: Workbench) -> Evaluations:
    """The evaluations of a workbench."""
    return Evaluations(bench.launcher)
