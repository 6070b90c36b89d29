"""The retriever with which documents are searched where nobody chose one and no recording plays: as
`core.retrieval.defaults` has it, as far as one process knows the languages of a corpus."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from core.corpora.demo import DEMOS
from core.errors import LoupeError
from core.jobs import Job
from core.retrieval.defaults import BUILTIN, BUILTIN_SHARE, FALLBACK, Default, default_for, unmeasured

if TYPE_CHECKING:
    from core.corpora.entries import Corpus
    from core.runs.sources.corpora import CorpusService

Languages = Mapping[str, float]
"""English name -> share of the chunks."""
_SHIPPED = {demo.name: {demo.language: 1.0} for demo in DEMOS}


class RetrieverDefaults:
    """The defaults of corpora by their languages, which are found out in the background; thread-safe.

    With an embeddings endpoint no language counts: nothing was measured with its model.
    """

    def __init__(self, corpora: CorpusService) -> None:
        self._corpora, self._backends = corpora, corpora.backends
        self._jobs: dict[tuple[str, int], Job[None]] = {}
        self._lock = threading.Lock()

    def of(self, corpus: Corpus) -> Default:
        """The default of a corpus as far as it is known; languages that are not are found out in the background."""
        languages = self._languages(corpus)
        if languages is None:
            self._find_once(corpus)
            return Default(FALLBACK)
        return self.among(languages)

    async def find(self, corpus: Corpus) -> Default:
        """The default of a corpus, whose languages are found out now where they are not known.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        languages = self._languages(corpus)
        return self.among(await self._find(corpus) if languages is None else languages)

    def among(self, languages: Languages) -> Default:
        """The default for documents in some languages."""
        embedder = self._backends.embedder
        if not embedder.builtin:
            return unmeasured(embedder.name)
        return default_for(languages, BUILTIN, other_share=BUILTIN_SHARE)

    def _languages(self, corpus: Corpus) -> Languages | None:
        """The languages of a corpus, if they are known, as those of the app's own are, or do not matter."""
        if not self._backends.embedder.builtin:
            return {}
        return _SHIPPED.get(corpus.name) or self._corpora.known_languages.of(corpus.id, corpus.version)

    async def _find(self, corpus: Corpus) -> Languages:
        """The languages of a corpus, found out in its documents."""
        return await self._corpora.languages(
            await self._corpora.retriever(corpus.name, "keyword", later=True)
        )

    def _find_once(self, corpus: Corpus) -> None:
        """Find out the languages of a version of a corpus in the background, once in this process; it may fail."""

        async def quietly() -> None:
            with suppress(LoupeError):  # the default stays, and whoever searches meets the same
                await self._find(corpus)

        with self._lock:
            if (corpus.id, corpus.version) not in self._jobs:
                self._jobs[corpus.id, corpus.version] = Job(quietly())
