"""With which retriever a corpus is searched where nobody chose one, as one process knows it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from core.corpora.demo import DEMOS
from core.errors import LoupeError
from core.jobs import Job
from core.retrieval.defaults import BUILTIN, BUILTIN_SHARE, FALLBACK, Default, default_for

if TYPE_CHECKING:
    from core.corpora.entries import Corpus
    from core.models.embeddings import Embedder
    from core.retrieval.check_store import CheckStore
    from core.retrieval.defaults import Quality
    from core.runs.backends import Backends

log = logging.getLogger(__name__)
Languages = Mapping[str, float]
"""English name -> share of the chunks."""
_SHIPPED = {demo.name: {demo.language: 1.0} for demo in DEMOS}


class RetrieverDefaults:
    """What is known of languages and embeddings, and what is being found out; thread-safe.

    An embeddings endpoint is measured in the background, a language at a time, when one of a corpus is first asked for;
    where that fails, it is tried again by the next process, and hybrid search is the default meanwhile.
    """

    def __init__(
        self,
        backends: Backends,
        known: Callable[[Corpus], Languages | None],
        told: Callable[[Corpus], Awaitable[Languages]],
    ) -> None:
        """
        Args:
            backends: The embedding model.
            known: The languages of a corpus, if they are known; fast.
            told: Tells them.
        """
        self._backends, self._known, self._told = backends, known, told
        self._jobs: dict[tuple[str, ...], Job[None]] = {}
        self._lock = threading.Lock()
        self._store: CheckStore | None = None

    def of(self, corpus: Corpus) -> Default:
        """The default of a corpus as far as it is known; what is not is found out in the background."""
        languages = self.languages(corpus)
        if languages is None:

            async def tell() -> None:
                await self._told(corpus)

            self._once(("languages", corpus.id, str(corpus.version)), tell)
            return Default(FALLBACK)
        return self.among(languages)

    async def found(self, corpus: Corpus) -> Default:
        """The default of a corpus, whose languages are told now where they are not known.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        languages = self.languages(corpus)
        if languages is None:
            languages = await self._told(corpus)
        return await asyncio.to_thread(self.among, languages)

    def languages(self, corpus: Corpus) -> Languages | None:
        """The languages of a corpus, if they are known; those of the app's own are."""
        return _SHIPPED.get(corpus.name) or self._known(corpus)

    def among(self, languages: Languages) -> Default:
        """The default for documents in some languages. Blocks for a moment."""
        embedder = self._backends.embedder
        if embedder.builtin:
            return default_for(languages, BUILTIN, other_share=BUILTIN_SHARE)
        from core.retrieval.check import MARGIN

        return default_for(languages, self._measured(embedder, languages), f"“{embedder.name}”", MARGIN)

    def _measured(self, embedder: Embedder, languages: Languages) -> Mapping[str, Quality]:
        """What is known of the endpoint's model; a language that is not is measured in the background."""
        from core.retrieval.check import LANGUAGES

        try:
            known = self._checks().of(embedder.key)
        except LoupeError:
            return {}
        for language in languages:
            if language in LANGUAGES and language not in known:
                self._once((embedder.key, language), partial(self._measure, embedder, language))
        return known

    async def _measure(self, embedder: Embedder, language: str) -> None:
        from core.retrieval.check import check

        quality = await check(embedder, language)
        await asyncio.to_thread(self._checks().note, embedder.key, language, quality)

    def _checks(self) -> CheckStore:
        if self._store is None:
            from core.retrieval.check_store import CheckStore

            self._store = CheckStore(self._backends.settings.database)
        return self._store

    def _once(self, what: tuple[str, ...], work: Callable[[], Awaitable[None]]) -> None:
        """Do something in the background, once in this process; it may fail."""

        async def quietly() -> None:
            with suppress(LoupeError):  # the default stays, and whoever searches meets the same
                await work()

        with self._lock:
            if what not in self._jobs:
                self._jobs[what] = Job(quietly())
