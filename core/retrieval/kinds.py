"""The retrievers by their keys: those of this app, and those that other packages add by entry points."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from core.plugins import load

if TYPE_CHECKING:
    from core.corpora.filtering import Where
    from core.retrieval.corpus import SearchableCorpus
    from core.trace.passages import Passage

BUILTIN = {"dense": "Dense", "keyword": "Keyword", "hybrid": "Hybrid", "linked": "Linked"}
"""Key -> title of the retrievers of this app."""
FUSED = frozenset(("hybrid", "linked"))
"""Retrievers whose first passages depend on how deep is searched: two lists of that depth are fused."""

WALK_SCORE_NAME = "walk and cosine"


@dataclass(frozen=True)
class Walking:
    """The parameters of a walk and of its score. The values were chosen on 300 questions of 2WikiMultihopQA."""

    seeds: int = 5
    """First hits of the ranking, at which the walk begins: at each with a chance by its reciprocal rank."""
    restart: float = 0.35
    """Chance to stop at a passage."""
    weight: float = 0.5
    """Weight of the cosine, where the walk has 1."""


@dataclass(frozen=True)
class RetrieverPlugin:
    """A retriever of another package: an object in the group `rag_loupe.retrievers`, whose name there is its key."""

    title: str
    """Its name on pages, beside “Dense” and “Keyword”."""
    score_name: str
    """The name of its scores on pages."""
    rank: Callable[[SearchableCorpus, frozenset[str], str, int], list[tuple[Passage, float]]]
    """Corpus, ids of the documents to search, query, number of hits -> chunks with their scores, best first. Called in
    a thread; `core.retrieval.caches.CorpusCache` keeps an index of a corpus until the corpus changes."""


@cache
def plugins() -> Mapping[str, RetrieverPlugin]:
    """Return the retrievers of other packages, by their keys."""
    return load("rag_loupe.retrievers", RetrieverPlugin, BUILTIN)


class _Retrievers(Mapping[str, str]):
    """Titles by key. Other packages are loaded when they are needed: most commands name a retriever of this app."""

    def __getitem__(self, key: str) -> str:
        return BUILTIN[key] if key in BUILTIN else plugins()[key].title

    def __iter__(self) -> Iterator[str]:
        return iter((*BUILTIN, *plugins()))

    def __len__(self) -> int:
        return len(BUILTIN) + len(plugins())


RETRIEVERS: Mapping[str, str] = _Retrievers()
"""Key -> title of each retriever, those of this app first."""


class PluginRetriever:
    """Ranks chunks by a retriever of another package."""

    def __init__(self, key: str, corpus: SearchableCorpus, where: Where) -> None:
        self.key = key
        self._plugin = plugins()[key]
        self.score_name = self._plugin.score_name
        self._corpus, self._where = corpus, where

    async def rank(self, query: str, count: int) -> list[tuple[Passage, float]]:
        """Return the `count` best chunks for a query, best first."""
        documents = await asyncio.to_thread(self._corpus.matching, self._where)
        return await asyncio.to_thread(self._plugin.rank, self._corpus, documents, query, count)


def other_kind(key: str) -> str:
    """Return the retriever that finds most of what another one missed: usually the one that walks along mentions."""
    return "keyword" if key == "linked" else "linked"
