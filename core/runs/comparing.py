"""One question through several strategies at once, each a run of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from core.errors import InputError
from core.runs.comparisons import Comparison, ComparisonStore, check_columns
from core.runs.gold import Gold, known_gold
from core.runs.launch import RunLauncher
from core.runs.request import RunRequest
from core.runs.sources.corpora import CorpusService


class Comparing:
    """The comparisons that one process began; thread-safe."""

    def __init__(self, corpora: CorpusService, launcher: RunLauncher) -> None:
        self._corpora, self._launcher = corpora, launcher

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
        if not gold:
            gold = self._known_gold(dict.fromkeys(one.corpus for one in requests if one.corpus), question)
        jobs = [self._launcher.start(request) for request in requests]
        return self.store.add(question, [job.run for job in jobs], owner, gold)

    def _known_gold(self, corpora: Iterable[str], question: str) -> tuple[Gold, ...]:
        """What corpora know of a question. Where they are cut in different ways, a chunk's id means another text in
        each of them, so only the documents count."""
        every = [known_gold(self._corpora.catalogue, corpus, question) for corpus in corpora]
        if not every or all(one == every[0] for one in every):
            return every[0] if every else ()
        documents = {gold.document: gold.title for known in every for gold in known}
        return tuple(Gold(document=document, title=title) for document, title in documents.items())
