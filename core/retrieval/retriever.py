"""The retriever that strategies search with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from core.corpora.filtering import FieldValues, Where, written
from core.corpora.stores import CorpusStores, check_model
from core.errors import InputError
from core.retrieval import dense, keyword
from core.retrieval.corpus import EntitySource, SearchableCorpus
from core.retrieval.dense import DenseRetriever, mean_of, words_of
from core.retrieval.found import as_one, depth_of_lists, ranking_of, walk_ranking
from core.retrieval.keyword import KeywordRetriever
from core.retrieval.repeats import deep_enough
from core.retrieval.walk import Walking
from core.trace.artefacts import EVAL_CUTOFF, Ranking

if TYPE_CHECKING:
    from core.models.embeddings import Embedder
    from core.models.recordings.recorded import Recorded
    from core.retrieval.fitting import Fitted, Widening
    from core.retrieval.joined import Walked
    from core.retrieval.linked import Walker
    from core.retrieval.recorded import RecordedSearches
    from core.retrieval.widening import Widener

RetrieverKind = Literal["dense", "keyword", "hybrid", "linked"]
RETRIEVERS: tuple[RetrieverKind, ...] = get_args(RetrieverKind)
FUSED: frozenset[str] = frozenset(("hybrid", "linked"))
"""Retrievers whose first passages depend on how deep is searched: two lists of that depth are fused."""


def other_kind(kind: RetrieverKind) -> RetrieverKind:
    """The retriever that finds most of what another one missed: along mentions, but for the one that walks there."""
    return "keyword" if kind == "linked" else "linked"


class Retriever:
    """Searches one corpus in one way; usable for many searches at the same time."""

    def __init__(
        self,
        kind: RetrieverKind,
        corpus: SearchableCorpus,
        embedder: Embedder,
        where: Where = (),
        recorded: Recorded | None = None,
        dense_share: float | None = None,
    ) -> None:
        self.kind = kind
        self.dense_share = dense_share
        """Weight of the dense scores where both algorithms search; None: their ranks are fused."""
        self.where = where
        """The filter: only documents that match are searched."""
        self.corpus = corpus.corpus
        """The corpus as it was when the retriever was opened."""
        self._searchable = corpus
        self._embedder = embedder
        self._recorded = recorded
        self._dense = DenseRetriever(corpus, embedder, where)
        self._keyword = KeywordRetriever(corpus, where)

    @property
    def weighed(self) -> float | None:
        """Weight of the dense scores in what is searched; None: no scores are added up.

        Linked retrieval begins with fused ranks: its parameters were chosen so, and are not to move.
        """
        return self.dense_share if self.kind == "hybrid" else None

    @cached_property
    def _walker(self) -> Walker:
        from core.retrieval.linked import Walker

        return Walker(self._searchable, self.where)

    @cached_property
    def _widener(self) -> Widener:
        from core.retrieval.widening import Widener

        return Widener(self._searchable, self._embedder, self.where)

    @cached_property
    def _searches(self) -> RecordedSearches | None:
        if self._recorded is None:
            return None
        from core.retrieval.recorded import RecordedSearches

        return RecordedSearches(self._recorded, self._searchable)

    def other(self) -> Retriever:
        """Another way to search the same corpus, see `other_kind`."""
        return self._like(kind=other_kind(self.kind))

    def within(self, where: Where) -> Retriever:
        """The same way to search, among those of its documents that match a further filter."""
        if not where:
            return self
        return self._like(where=(*self.where, *where))

    def recorded_in(self, recorded: Recorded, embedder: Embedder) -> Retriever:
        """The same way to search, by the rankings that a recording holds, and in which others are kept.

        Args:
            recorded: The recording.
            embedder: The same embedding model by way of it, see `core.models.recordings.recorded`.
        """
        return Retriever(self.kind, self._searchable, embedder, self.where, recorded, self.dense_share)

    def weighing(self, dense_share: float | None) -> Retriever:
        """The same way to search with another weight of the dense scores, or by ranks alone."""
        if dense_share == self.dense_share:
            return self
        return Retriever(self.kind, self._searchable, self._embedder, self.where, self._recorded, dense_share)

    async def mark(self) -> str:
        """A hash of what is searched, see `core.retrieval.recorded.mark_of`.

        Raises:
            StoreError: The corpus has been deleted, or the catalogue cannot be read.
        """
        from core.retrieval.recorded import mark_of

        return await asyncio.to_thread(mark_of, self._searchable)

    def _like(self, *, kind: RetrieverKind | None = None, where: Where | None = None) -> Retriever:
        """This one with another kind or filter."""
        where = self.where if where is None else where
        kind = kind or self.kind
        return Retriever(kind, self._searchable, self._embedder, where, self._recorded, self.dense_share)

    async def documents(self) -> int:
        """How many documents are searched at the moment.

        Raises:
            StoreError: The corpus has been deleted, or the catalogue cannot be read.
        """
        return len(await asyncio.to_thread(self._searchable.matching, self.where))

    async def fields(self) -> tuple[FieldValues, ...]:
        """By what a filter can tell the documents apart that are searched.

        Raises:
            StoreError: The corpus has been deleted, or the catalogue cannot be read.
        """
        return await asyncio.to_thread(self._searchable.fields, self.where)

    async def open(self) -> None:
        """Ask the Chroma server for the corpus now, and not with the first search.

        Raises:
            ServiceError: The server does not answer.
            StoreError: It does not hold the corpus.
        """
        await asyncio.to_thread(lambda: self._searchable.chunks)

    async def languages(self) -> dict[str, float]:
        """The languages of the documents with their shares of a sample of chunks; see `core.corpora.corpus_languages`.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        return await asyncio.to_thread(self._searchable.languages)

    async def titles(self, count: int) -> tuple[str, ...]:
        """Titles of up to `count` documents, spread evenly over the corpus.

        Raises:
            StoreError: The corpus has been deleted, or the catalogue cannot be read.
        """
        snapshot = await asyncio.to_thread(self._searchable.snapshot)
        chosen = await asyncio.to_thread(self._searchable.matching, self.where, snapshot)
        every = sorted(title for document, title in snapshot.titles.items() if title and document in chosen)
        return tuple(every[:: max(1, len(every) // count)][:count])

    async def search(self, query: str, k: int, depth: int = EVAL_CUTOFF) -> Ranking:
        """One ranking for a query; hybrid fuses the dense and the keyword ranking, linked walks on from there.

        Args:
            query: Text to search for.
            k: Number of hits that the strategy will use. What repeats another is none of them, see
                `core.retrieval.repeats`; where `depth` leaves too few others, the search is a deeper one.
            depth: Number of hits to keep for judging; the ranking has max(k, depth), fewer in a small corpus.

        Raises:
            ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
        """

        async def search(depth: int) -> list[Ranking]:
            found = as_one(await self._lists(query, k, depth), query, k, depth, self.weighed)
            if self.kind == "linked":
                found = await self._walked(found, await self.vector(query))
            return [found]

        return (await self._marked(["search", query, k], k, depth, search))[0]

    async def lists(self, query: str, k: int, depth: int = EVAL_CUTOFF) -> list[Ranking]:
        """One ranking per algorithm: a dense and a keyword ranking for hybrid, else a single one. See `search`.

        Where hybrid weighs scores, it is one too: fused by ranks with others, both would count the same.
        """
        if self.kind == "linked" or self.weighed is not None:
            return [await self.search(query, k, depth)]
        return await self._marked(["lists", query, k], k, depth, lambda deep: self._lists(query, k, deep))

    async def _marked(
        self,
        asked: Sequence[Any],
        k: int,
        depth: int,
        search: Callable[[int], Awaitable[list[Ranking]]],
    ) -> list[Ranking]:
        """What a search of some depth finds, or what a recording holds for it; repeats are marked."""
        return await deep_enough(lambda deep: self._kept([*asked, deep], partial(search, deep)), k, depth)

    async def _kept(
        self, asked: Sequence[Any], search: Callable[[], Awaitable[list[Ranking]]]
    ) -> list[Ranking]:
        """What a search finds, or what a recording holds for it."""
        if self._searches is None:
            return await search()
        weighed = [] if self.weighed is None else [self.weighed]
        return await self._searches.rankings([self.kind, written(self.where), *asked, *weighed], search)

    async def vector(self, query: str) -> list[float]:
        """The query's vector; one that was searched with is known.

        Raises:
            InputError: The corpus was indexed with another embedding model.
            ModelError: Embedding fails.
        """
        check_model(self.corpus, self._embedder)
        return await self._embedder.embed_query(query)

    async def walk(self, found: Ranking, vector: Sequence[float], how: Walking) -> Walked | str:
        """A walk along mentions from the first hits of a ranking; see `core.retrieval.linked.Walker`.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        walked: list[Walked | str] = []

        async def walk() -> list[Ranking]:
            walked.append(await self._walker.walk(found, vector, how))
            return [walk_ranking(found, walked[0])]

        chunks = [hit.passage.chunk for hit in found.hits]
        asked = ["walk", found.query, chunks, how.seeds, how.restart, how.weight]
        (kept,) = await self._kept(asked, walk)
        played = bool(kept.recorded) or not walked
        return await self._walker.walk(found, vector, how, kept) if played else walked[0]

    async def widen(self, found: Ranking, how: Widening) -> Fitted:
        """The hits that a strategy uses with what stands around them; see `core.retrieval.widening.Widener`.

        Raises:
            ModelError, ServiceError, StoreError: The tokenizer is missing, or Chroma or the catalogue fails.
        """
        return await self._widener.widen(found.places, found.k, how)

    async def everything(self, most_tokens: int) -> Fitted:
        """All documents as far as they fit, without a search; see `core.retrieval.widening.Widener`.

        Raises:
            ModelError, ServiceError, StoreError: The tokenizer is missing, or Chroma or the catalogue fails.
        """
        return await self._widener.everything(most_tokens)

    async def _walked(self, found: Ranking, vector: Sequence[float]) -> Ranking:
        """What linked retrieval makes of what hybrid retrieval found."""
        walk = await self._walker.walk(found, vector, Walking())
        if isinstance(walk, str):
            return found.model_copy(update={"retriever": "linked", "note": walk})
        ranking = walk_ranking(found, walk)
        return ranking.model_copy(update={"hits": ranking.hits[: len(found.hits)]})

    async def _lists(self, query: str, k: int, depth: int) -> list[Ranking]:
        count = self._depth(k, depth)

        async def by_vectors() -> Ranking:
            return ranking_of(query, "dense", dense.SCORE_NAME, k, await self._dense.rank(query, count))

        async def by_keywords() -> Ranking:
            return ranking_of(query, "keyword", keyword.SCORE_NAME, k, await self._keyword.rank(query, count))

        return await self._by_kind(by_vectors, by_keywords)

    async def search_mean(
        self, question: str, passages: Sequence[str], *, with_question: bool, k: int, depth: int = EVAL_CUTOFF
    ) -> Ranking:
        """One ranking for hypothetical passages; its `query` describes what was searched with.

        Dense retrieval searches with the mean of their vectors, keyword retrieval with their words, hybrid and linked
        retrieval with both. Without passages the question is searched.

        Args:
            question: As it was asked.
            passages: Passages that were written for the question.
            with_question: Whether the question's vector counts in the mean.
            k: Number of hits that the strategy will use.
            depth: Number of hits to keep for judging.

        Raises:
            ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
        """
        one = len(passages) == 1
        mean = mean_of(len(passages), with_question)
        words = f"the words of the {'passage' if one else 'passages'}" if passages else "the question"

        vector: list[float] = []

        async def by_vectors(count: int) -> Ranking:
            vector[:] = await self._dense.mean(question, passages, with_question)
            return ranking_of(
                mean, "dense", dense.SCORE_NAME, k, await self._dense.rank_vector(vector, count)
            )

        async def by_keywords(count: int) -> Ranking:
            found = await self._keyword.rank(words_of(question, passages), count)
            return ranking_of(words, "keyword", keyword.SCORE_NAME, k, found)

        async def search(depth: int) -> list[Ranking]:
            count = self._depth(k, depth)
            lists = await self._by_kind(partial(by_vectors, count), partial(by_keywords, count))
            searched = f"{mean}, and {words}" if passages else mean
            found = as_one(lists, searched, k, depth, self.weighed)
            return [await self._walked(found, vector) if self.kind == "linked" else found]

        asked = ["mean", question, list(passages), with_question, k]
        return (await self._marked(asked, k, depth, search))[0]

    def _depth(self, k: int, depth: int) -> int:
        """How deep each algorithm searches."""
        return depth_of_lists(k, depth, self.weighed)

    async def _by_kind(
        self, by_vectors: Callable[[], Awaitable[Ranking]], by_keywords: Callable[[], Awaitable[Ranking]]
    ) -> list[Ranking]:
        """The rankings of this retriever's algorithms, which search at the same time."""
        chosen = {"dense": (by_vectors,), "keyword": (by_keywords,)}.get(self.kind, (by_vectors, by_keywords))
        return list(await asyncio.gather(*(search() for search in chosen)))


async def find_retriever(
    stores: CorpusStores,
    corpus: str,
    kind: str,
    graphs: EntitySource | None = None,
    dense_share: float | None = None,
) -> Retriever:
    """The retriever over a corpus; Chroma is not asked yet, see `Retriever.open`.

    Args:
        stores: Where the corpus is kept, and the embedding model in use.
        corpus: Name of the corpus.
        kind: One of `RETRIEVERS`.
        graphs: Built from corpora: their entities join passages, too.
        dense_share: Weight of the dense scores where both algorithms search; None: their ranks are fused.

    Raises:
        InputError: There is no such corpus or retriever, or vectors are to be compared with those of another
            embedding model (keyword search works with any).
        StoreError: The catalogue cannot be read.
    """
    chosen = next((known for known in RETRIEVERS if known == kind), None)
    if chosen is None:
        raise InputError(f"There is no retriever “{kind}”. Choose one of {', '.join(RETRIEVERS)}.")
    found = await asyncio.to_thread(stores.catalogue.corpus, corpus)
    if chosen != "keyword":
        check_model(found, stores.embedder)
    searchable = SearchableCorpus(found, stores.catalogue, stores.vectors, graphs)
    return Retriever(chosen, searchable, stores.embedder, dense_share=dense_share)
