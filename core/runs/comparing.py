"""One question through several strategies at once, each a run of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable, Sequence
from functools import cached_property

from core.errors import InputError, LoupeError
from core.jobs import Job
from core.runs.budget import rankings_for
from core.runs.comparisons import Comparison, ComparisonStore, check_columns
from core.runs.gold import Gold, known_gold
from core.runs.launch import RunLauncher
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.run_job import RunJob
from core.runs.sources.corpora import CorpusService

log = logging.getLogger(__name__)


class Comparing:
    """The comparisons that one process began; thread-safe."""

    def __init__(self, corpora: CorpusService, launcher: RunLauncher) -> None:
        self._corpora, self._launcher = corpora, launcher
        self._searching: dict[str, Job[None]] = {}
        self._lock = threading.Lock()

    @cached_property
    def store(self) -> ComparisonStore:
        """Runs that stand side by side."""
        return ComparisonStore(self._corpora.settings.database)

    def start(self, requests: Sequence[RunRequest], gold: Sequence[Gold] = ()) -> Comparison:
        """Begin one run per request, all at once, in the background; blocks for a moment.

        Args:
            requests: A column each.
            gold: The evidence; empty: what the corpus knows of this question, if anything.

        Raises:
            InputError: One of them cannot be run, so none is; their questions differ, or there are too few or too many.
            StoreError: The comparison cannot be stored.
        """
        check_columns(requests)
        for request in requests:
            self._launcher.check(request)
        if len({request.question.strip() for request in requests}) > 1:
            raise InputError("All columns of a comparison answer one question.")
        question, owner = requests[0].question.strip(), requests[0].owner
        corpus = next((request.corpus for request in requests if request.corpus), None)
        if not gold:
            gold = self._known_gold(dict.fromkeys(one.corpus for one in requests if one.corpus), question)
        jobs = [self._launcher.start(request) for request in requests]
        made = self.store.add(question, [job.run for job in jobs], owner, gold)
        if gold and corpus:
            with self._lock:
                self._searching = {name: job for name, job in self._searching.items() if not job.done}
                self._searching[made.id] = Job(self._search_plain(made.id, jobs))
        return made

    def _known_gold(self, corpora: Iterable[str], question: str) -> tuple[Gold, ...]:
        """What corpora know of a question. Where they are cut in different ways, a chunk's id means another text in
        each of them, so only the documents count."""
        every = [known_gold(self._corpora.catalogue, corpus, question) for corpus in corpora]
        if not every or all(one == every[0] for one in every):
            return every[0] if every else ()
        documents = {gold.document: gold.title for known in every for gold in known}
        return tuple(Gold(document=document, title=title) for document, title in documents.items())

    def searching_plain(self, comparison: str) -> bool:
        """Whether a comparison of this process still waits for what plain retrieval finds with as many passages."""
        job = self._searching.get(comparison)
        return job is not None and not job.done

    async def _search_plain(self, comparison: str, jobs: Sequence[RunJob]) -> None:
        """What the columns are held against: searched once it is known how many passages each of them gave."""
        await asyncio.gather(*(job.ended() for job in jobs), return_exceptions=True)
        try:
            rankings = await rankings_for(self._corpora, [record(job.events) for job in jobs])
            if rankings:
                await asyncio.to_thread(self.store.note_plain, comparison, rankings)
        except LoupeError as error:  # the comparison goes without
            log.warning("Plain retrieval could not be searched for comparison %s: %s", comparison, error)
