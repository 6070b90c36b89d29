"""An evaluation as a background job: every question through every setting, each pair kept as it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

from core.corpora.reports import Progress
from core.corpora.writing import HOLD_SECONDS, writing
from core.errors import InputError, LoupeError
from core.evaluation.datasets import DataSet, LabelledQuestion
from core.evaluation.indexing import document_keys, indexed_for
from core.evaluation.notes import Notes
from core.evaluation.pace import Pace
from core.evaluation.pairs import (
    asks_model,
    check_settings,
    request_of,
    result_of,
    retrieved,
    run_of,
    stored,
)
from core.evaluation.plan import Evaluation, Result, Setting, Spec, Sweep, check_same
from core.evaluation.preparing import prepare
from core.evaluation.store import EvaluationStore
from core.jobs import Job
from core.models.endpoint import ChatEndpoint
from core.runs.engine import sentence
from core.runs.workbench import Workbench
from core.strategies.nodes import at_once

AT_ONCE = 4
"""Questions at once at an endpoint."""
BUILTIN_AT_ONCE = 2
"""With the built-in model, which writes four replies at once: some strategies ask for several themselves."""
MOST_AT_ONCE = 64
NO_MODEL_AT_ONCE = 32
"""Where no model is asked: what comes together is searched together."""
FAILED_IN_A_ROW = 10
"""After so many failures, one after the other, an evaluation pauses: it is not the questions."""
FREE_SECONDS = 0.25
"""How long an outcome may wait in memory where making it again costs nothing."""
BUSY = "This evaluation is being worked on by another process. Wait until that has ended, or pause it there."


@dataclass(frozen=True)
class New:
    """A new evaluation."""

    dataset: DataSet
    """With the questions to ask: a sample, maybe."""
    settings: tuple[Setting, ...]
    seed: int | None = None
    """Of the sample."""
    retrieval_only: bool = False
    baseline: str = ""
    """Label of a setting; empty: the first."""
    sweep: Sweep | None = None
    """Set where the settings are those of a sweep."""
    as_it_came: bool = False
    """Whether the built-in model, where it answers, does so without what it was taught."""


class EvaluationJob(Pace, Job[Evaluation]):
    """An evaluation under way. Stopping it loses nothing that was done."""

    def __init__(
        self,
        bench: Workbench,
        store: EvaluationStore,
        what: New | str,
        owner: str = "",
        *,
        limit: int | None = None,
        endpoint: ChatEndpoint | None = None,
    ) -> None:
        """Begin in the background.

        Args:
            bench: Runs the questions.
            store: Keeps what came of them.
            what: A new evaluation, which goes on with an unfinished one of exactly the same; or the id of a stored
                one to go on with, its failed questions included.
            owner: Who asks for a new one, and of whom the server's endpoint is told.
            limit: Questions under way at once, from 1 to 64; None: what suits the model.
            endpoint: A chat endpoint set in the browser; None: the server's model.

        Raises:
            InputError: A setting cannot be used.
        """
        Pace.__init__(self)
        self._bench, self._store = bench, store
        self.what, self.owner = what, owner
        self._limit, self._endpoint = limit, endpoint
        self.evaluation: Evaluation | None = None
        """As it was when this began to ask; None: it is getting ready."""
        self.indexing: Progress | None = None
        """Set while documents are indexed."""
        self.halted = ""
        """Why it paused by itself; empty: it did not."""
        self._pausing = False
        if isinstance(what, New):
            check_settings(what.settings, what.retrieval_only)
            if what.baseline and what.baseline not in [one.label for one in what.settings]:
                raise InputError(f"The baseline “{what.baseline}” is not among what is evaluated.")
        if limit is not None and not 1 <= limit <= MOST_AT_ONCE:
            raise InputError(f"From 1 to {MOST_AT_ONCE} questions can be asked at once.")
        Job.__init__(self, self._run(what))

    @property
    def id(self) -> str:
        """Id of the evaluation; empty until a new one is noted."""
        if isinstance(self.what, str):
            return self.what
        return self.evaluation.id if self.evaluation else ""

    def pause(self) -> None:
        """Begin no further question; those under way are finished, so that nothing is paid twice."""
        self._pausing = True

    @property
    def pausing(self) -> bool:
        """Whether it was told to pause, or paused by itself."""
        return self._pausing

    @property
    def message(self) -> str:
        """How far it is, in a few words."""
        if self.evaluation is None:
            if self.indexing is None:
                return "Getting ready"
            return f"Indexing: {self.indexing.chunks:,} chunks"
        doing = "Pausing: the last questions are finished" if self._pausing else "Asking"
        return f"{doing}: {self.standing}"

    async def _run(self, what: New | str) -> Evaluation:
        if isinstance(what, str):
            evaluation = await asyncio.to_thread(self._store.get, what)
        else:
            evaluation = await self._begun(what)
        async with AsyncExitStack() as held:
            # As long as it takes to notice that a killed process does not work on it any more.
            writer = await held.enter_async_context(
                writing(self._store, evaluation.id, HOLD_SECONDS + 1, BUSY)
            )
            await self._work(evaluation, writer)
        return await asyncio.to_thread(self._store.get, evaluation.id)

    async def _begun(self, what: New) -> Evaluation:
        """Index and note a new evaluation, or find the unfinished one that is just the same."""
        corpus, settings = await indexed_for(what.dataset, what.settings, self._bench.corpora, self._indexed)
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
            adapter=not what.as_it_came,
        )
        spec, _ = await prepare(self._bench, spec, questions[0], self._endpoint)
        key = await asyncio.to_thread(self._store.begin, spec, questions, self.owner)
        return await asyncio.to_thread(self._store.get, key)

    async def _work(self, evaluation: Evaluation, writer: str) -> None:
        """Ask what is not done; the evaluation is ours meanwhile."""
        spec = evaluation.spec
        keys: dict[str, str] = {}
        catalogue = self._bench.corpora.catalogue
        for begun in {spec.corpus_of(setting) for setting in spec.settings}:
            corpus = await asyncio.to_thread(catalogue.corpus, begun.name)
            if (corpus.id, corpus.version) != (begun.id, begun.version):
                raise InputError(f"“{begun.name}” has changed since this evaluation began. Begin a new one.")
            keys |= await asyncio.to_thread(document_keys, catalogue, corpus.id)
        present, prepared = await prepare(self._bench, spec, evaluation.questions[0], self._endpoint)
        check_same(spec, present)
        outcomes = await asyncio.to_thread(self._store.outcomes, evaluation.id)
        self.pairs_done, self.pairs = len(outcomes.done), evaluation.total
        self.evaluation = evaluation
        # Question by question, so that whatever is done can be compared.
        pairs = iter(
            [
                (place, question)
                for question in evaluation.questions
                for place in range(len(spec.settings))
                if (place, question.id) not in outcomes.done
            ]
        )
        free = not any(asks_model(setting, spec.retrieval_only) for setting in spec.settings)
        notes = Notes(self._store, evaluation.id, writer, FREE_SECONDS if free else 0.0)

        async def ask(place: int, question: LabelledQuestion) -> Result:
            setting, searcher = spec.settings[place], prepared[place][1].retriever
            if not asks_model(setting, spec.retrieval_only):
                found = await retrieved(*prepared[place], question.text)
                return await result_of(found, question, keys, "", searcher)
            run = run_of(evaluation.id, setting.label, question.id)
            request = request_of(
                setting,
                question.text,
                spec.corpus_of(setting).name,
                retrieval_only=spec.retrieval_only,
                endpoint=self._endpoint,
                as_it_came=not spec.adapter,
                account=self.owner,
            )
            found = await stored(self._bench, request, run)
            return await result_of(found, question, keys, run, searcher)

        async def worker(pairs: Iterator[tuple[int, LabelledQuestion]]) -> None:
            for place, question in pairs:
                if self._pausing:
                    return
                outcome: Result | str
                try:
                    outcome = await ask(place, question)
                except LoupeError as error:
                    outcome = sentence(error)
                await notes.add((place, question.id), outcome)
                self._count(outcome)

        try:
            await at_once(worker(pairs) for _ in range(self._limit or _suitable(spec)))
        finally:
            await notes.write()
        if not self._pausing:
            await asyncio.to_thread(self._store.finish, evaluation.id, True)

    def _count(self, outcome: Result | str) -> None:
        failed = not isinstance(outcome, Result)
        self.count(failed=failed)
        if failed and self.failed_in_a_row >= FAILED_IN_A_ROW and not self._pausing:
            self.halted = f"The last {self.failed_in_a_row} questions all failed, so it paused. {outcome}"
            self._pausing = True

    def _indexed(self, progress: Progress) -> None:
        self.indexing = progress


def _suitable(spec: Spec) -> int:
    if not any(asks_model(setting, spec.retrieval_only) for setting in spec.settings):
        return NO_MODEL_AT_ONCE
    return BUILTIN_AT_ONCE if spec.builtin else AT_ONCE
