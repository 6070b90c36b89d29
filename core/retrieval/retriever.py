"""The retriever that strategies search with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from core.corpora.catalogue import CorpusStores, check_model
from core.corpora.filtering import FieldValues, Where, where_lines
from core.errors import InputError
from core.retrieval import dense
from core.retrieval.corpus import EntitySource, RecordedSearches, SearchableCorpus
from core.retrieval.dense import DenseRetriever, Scored, mean_of, words_of
from core.retrieval.fusion import COMBINED_DEPTH, combine, fused_rows, rank_rows
from core.retrieval.keyword import KeywordRetriever
from core.retrieval.kinds import BUILTIN, RETRIEVERS, WALK_SCORE_NAME, PluginRetriever, Walking, other_kind
from core.retrieval.repeats import deep_enough
from core.trace.artefacts import EVAL_CUTOFF, Ranking
from core.trace.passages import Hit

if TYPE_CHECKING:
    from core.corpora.entries import Corpus
    from core.models.embeddings import Embedder
    from core.models.recordings.open_recording import OpenRecording
    from core.retrieval.linked import WalkResult
    from core.retrieval.widening import Selection, Widener, Widening

HYBRID_SCORE_NAME = "RRF score"

_Search: TypeAlias = Callable[[int], Awaitable[Scored]]
"""Number of hits -> chunks with their scores, best first."""
Judge: TypeAlias = Callable[[str, Ranking], Awaitable[Ranking]]
"""Puts the hits of a ranking in the order in which they fit a text."""


@dataclass(frozen=True, eq=False)
class Retriever:
    """Searches one corpus in one way; usable for many searches at the same time.

    Methods that search raise `ModelError` when embedding fails; all raise `ServiceError` or `StoreError` when Chroma or
    the catalogue fails or the corpus has been deleted.
    """

    kind: str
    """Its key, see `core.retrieval.kinds`."""
    searchable: SearchableCorpus
    embedder: Embedder
    where: Where = ()
    """The filter: only documents that match are searched."""
    dense_share: float | None = None
    """Weight of the dense scores where both algorithms search; None: their ranks are fused."""
    recorded: OpenRecording | None = None
    """The recording whose rankings take the place of searches, and that keeps others; None: there is none."""
    judge: Judge | None = None
    """Reranks what a search found; None: the search's own order stays."""
    judged: int = 0
    """Hits that are reranked; never fewer than a search keeps."""

    @property
    def corpus(self) -> Corpus:
        """The corpus as it was when the retriever was opened."""
        return self.searchable.corpus

    @property
    def weighed(self) -> float | None:
        """Weight of the dense scores in what is searched; None: no scores are added up.

        Linked retrieval begins with fused ranks: its parameters were chosen so, and are not to move.
        """
        return self.dense_share if self.kind == "hybrid" else None

    @cached_property
    def _dense(self) -> DenseRetriever:
        return DenseRetriever(self.searchable, self.embedder, self.where)

    @cached_property
    def _words(self) -> KeywordRetriever | PluginRetriever:
        if self.kind in BUILTIN:
            return KeywordRetriever(self.searchable, self.where)
        return PluginRetriever(self.kind, self.searchable, self.where)

    @cached_property
    def _widener(self) -> Widener:
        from core.retrieval.widening import Widener

        return Widener(self.searchable, self.embedder, self.where)

    @cached_property
    def _searches(self) -> RecordedSearches | None:
        return RecordedSearches(self.recorded, self.searchable) if self.recorded else None

    def other(self) -> Retriever:
        """Return another way to search the same corpus, see `other_kind`."""
        return replace(self, kind=other_kind(self.kind))

    def within(self, where: Where) -> Retriever:
        """Return this way to search, among those of its documents that match a further filter."""
        return replace(self, where=(*self.where, *where)) if where else self

    def reranked(self, judge: Judge, count: int) -> Retriever:
        """Return this way to search, deeper where needed, with the first `count` hits in the order of a judge."""
        return replace(self, judge=judge, judged=count)

    def recorded_in(self, recorded: OpenRecording, embedder: Embedder) -> Retriever:
        """Return this way to search, by the rankings that a recording holds, and in which others are kept.

        `embedder` is the same embedding model by way of it, see `core.models.recordings.open_recording`.
        """
        return replace(self, recorded=recorded, embedder=embedder)

    async def documents(self) -> int:
        """Return the number of documents that are searched at the moment."""
        return len(await asyncio.to_thread(self.searchable.matching, self.where))

    async def fields(self) -> tuple[FieldValues, ...]:
        """Return the fields by which a filter can tell the documents apart that are searched."""
        return await asyncio.to_thread(lambda: self.searchable.snapshot().fields(self.where))

    async def titles(self, count: int) -> tuple[str, ...]:
        """Return titles of up to `count` documents, spread evenly over the corpus."""
        snapshot = await asyncio.to_thread(self.searchable.snapshot)
        chosen = await asyncio.to_thread(snapshot.matching, self.where)
        titles = sorted(title for document, title in snapshot.titles.items() if title and document in chosen)
        return tuple(titles[:: max(1, len(titles) // count)][:count])

    async def search(self, query: str, k: int, depth: int = EVAL_CUTOFF) -> Ranking:
        """Return one ranking for a query; hybrid fuses the dense and the keyword ranking, linked walks on from there.

        Args:
            k: Number of hits that the strategy will use. What repeats another is none of them, see
                `core.retrieval.repeats`; where `depth` leaves too few others, the search is a deeper one.
            depth: Number of hits to keep for judging; the ranking has max(k, depth), fewer in a small corpus.
        """

        async def search(deep: int) -> list[Ranking]:
            return [await self._fuse(await self._lists(query, k, deep), query, k, deep)]

        (ranking,) = await self._deepen(["search", query, k], k, max(depth, self.judged), search)
        return await self.judge(query, ranking) if self.judge else ranking

    async def lists(self, query: str, k: int, depth: int = EVAL_CUTOFF) -> list[Ranking]:
        """Return one ranking per algorithm: a dense and a keyword ranking for hybrid, else a single one. See `search`.

        Where hybrid weighs scores, it is one too: fused by ranks with others, both would count the same. So is what a
        judge has put in order: it needs no fusion any more.
        """
        if self.kind == "linked" or self.judge or self.weighed is not None:
            return [await self.search(query, k, depth)]
        return await self._deepen(["lists", query, k], k, depth, lambda deep: self._lists(query, k, deep))

    async def search_mean(
        self, question: str, passages: Sequence[str], *, with_question: bool, k: int, depth: int = EVAL_CUTOFF
    ) -> Ranking:
        """Return one ranking for hypothetical passages; its `query` describes what was searched with.

        Dense retrieval searches with the mean of their vectors, keyword retrieval with their words, hybrid and linked
        retrieval with both. Without passages the question is searched. A judge goes by the question, since what the
        passages say may be false.

        Args:
            with_question: True if the question's vector counts in the mean.
            k, depth: See `search`.
        """
        mean = mean_of(len(passages), with_question)
        several = "passage" if len(passages) == 1 else "passages"
        words = f"the words of the {several}" if passages else "the question"

        async def search(deep: int) -> list[Ranking]:
            vector: list[float] = []
            if self.kind != self._words.key:
                vector = await self._dense.mean(question, passages, with_question)
            nearest = mean, partial(self._dense.rank_vector, vector)
            matching = words, partial(self._words.rank, words_of(question, passages))
            lists = await self._rank_all(nearest, matching, k, deep)
            return [await self._fuse(lists, f"{mean}, and {words}" if passages else mean, k, deep, vector)]

        key = ["mean", question, list(passages), with_question, k]
        (ranking,) = await self._deepen(key, k, max(depth, self.judged), search)
        return await self.judge(question, ranking) if self.judge else ranking

    async def vector(self, query: str) -> list[float]:
        """Return the query's vector; one that was searched with is known.

        Raises:
            InputError: The corpus was indexed with another embedding model.
        """
        check_model(self.corpus, self.embedder)
        return await self.embedder.embed_query(query)

    async def walk(self, ranking: Ranking, vector: Sequence[float], how: Walking) -> WalkResult | str:
        """Return a walk along mentions from the first hits of a ranking; see `core.retrieval.linked.walk`."""
        walks: list[WalkResult | str] = []

        async def walk() -> list[Ranking]:
            walks.append(await self._walk(ranking, vector, how))
            return [walk_ranking(ranking, walks[0])]

        chunks = [hit.passage.chunk for hit in ranking.hits]
        key = ["walk", ranking.query, chunks, how.seeds, how.restart, how.weight]
        (recorded,) = await self._rankings(key, walk)
        if walks and not recorded.recorded:
            return walks[0]
        return await self._walk(ranking, vector, how, recorded)

    async def widen(self, ranking: Ranking, how: Widening) -> Selection:
        """Return the hits that a strategy uses with what stands around them; see `core.retrieval.widening.Widener`."""
        return await asyncio.to_thread(self._widener.widen, ranking.places, ranking.k, how)

    async def everything(self, most_tokens: int) -> Selection:
        """Return all documents as far as they fit, without a search; see `core.retrieval.widening.Widener`."""
        return await asyncio.to_thread(self._widener.everything, most_tokens)

    async def _lists(self, query: str, k: int, depth: int) -> list[Ranking]:
        nearest, matching = partial(self._dense.rank, query), partial(self._words.rank, query)
        return await self._rank_all((query, nearest), (query, matching), k, depth)

    async def _rank_all(
        self, nearest: tuple[str, _Search], matching: tuple[str, _Search], k: int, depth: int
    ) -> list[Ranking]:
        """Return the rankings of this retriever's algorithms, which search at the same time.

        Args:
            nearest: The text of the dense search, for readers, and the search.
            matching: Those of the search by words, which retrievers of other packages are, too.
            k, depth: See `search`.
        """
        count = depth_of_lists(k, depth, self.weighed)
        by_vectors = ("dense", *nearest, dense.SCORE_NAME)
        by_words = (self._words.key, *matching, self._words.score_name)
        chosen = {"dense": [by_vectors], "hybrid": [by_vectors, by_words], "linked": [by_vectors, by_words]}

        async def ranking(key: str, query: str, search: _Search, score_name: str) -> Ranking:
            return ranking_of(query, key, score_name, k, await search(count))

        return await asyncio.gather(*(ranking(*arguments) for arguments in chosen.get(self.kind, [by_words])))

    async def _fuse(
        self, lists: Sequence[Ranking], query: str, k: int, depth: int, vector: Sequence[float] = ()
    ) -> Ranking:
        """Return the ranking of all lists; linked retrieval walks on from it, by the cosine with the query's vector."""
        ranking = as_one(lists, query, k, depth, self.weighed)
        if self.kind != "linked":
            return ranking
        vector = vector or await self.vector(query)
        result = await self._walk(ranking, vector, Walking())
        if isinstance(result, str):
            return ranking.model_copy(update={"retriever": "linked", "note": result})
        linked = walk_ranking(ranking, result)
        return linked.model_copy(update={"hits": linked.hits[: len(ranking.hits)]})

    async def _walk(
        self, ranking: Ranking, vector: Sequence[float], how: Walking, recorded: Ranking | None = None
    ) -> WalkResult | str:
        from core.retrieval.linked import walk

        return await asyncio.to_thread(walk, self.searchable, self.where, ranking, vector, how, recorded)

    async def _deepen(
        self,
        key: Sequence[Any],
        k: int,
        depth: int,
        search: Callable[[int], Awaitable[list[Ranking]]],
    ) -> list[Ranking]:
        """Return the rankings of a search of some depth, or those that a recording holds for it; repeats are marked."""
        return await deep_enough(lambda deep: self._rankings([*key, deep], partial(search, deep)), k, depth)

    async def _rankings(
        self, key: Sequence[Any], search: Callable[[], Awaitable[list[Ranking]]]
    ) -> list[Ranking]:
        """Return the rankings of a search, or those that a recording holds for it."""
        if self._searches is None:
            return await search()
        weighed = [] if self.weighed is None else [self.weighed]
        return await self._searches.rankings([self.kind, where_lines(self.where), *key, *weighed], search)


async def find_retriever(
    stores: CorpusStores,
    corpus: str,
    kind: str,
    graphs: EntitySource | None = None,
    dense_share: float | None = None,
) -> Retriever:
    """Return the retriever over a corpus; Chroma is not asked before `SearchableCorpus.chunks` is read.

    Args:
        stores: Where the corpus is kept, and the embedding model in use.
        kind: One of `core.retrieval.kinds.RETRIEVERS`.
        graphs: Built from corpora: their entities join passages, too.
        dense_share: Weight of the dense scores where both algorithms search; None: their ranks are fused.

    Raises:
        InputError: There is no such corpus or retriever, or vectors are to be compared with those of another
            embedding model (keyword search and retrievers of other packages work with any).
        StoreError: The catalogue cannot be read.
    """
    if kind not in RETRIEVERS:
        raise InputError(f"There is no retriever “{kind}”. Choose one of {', '.join(RETRIEVERS)}.")
    entry = await asyncio.to_thread(stores.catalogue.corpus, corpus)
    if kind in ("dense", "hybrid", "linked"):
        check_model(entry, stores.embedder)
    searchable = SearchableCorpus(entry, stores.catalogue, stores.vectors, graphs)
    return Retriever(kind, searchable, stores.embedder, dense_share=dense_share)


# Rankings from what searches found


def combined_score_name(dense_share: float) -> str:
    """Return the name of the scores of hybrid retrieval with weights."""
    return f"{dense_share:.0%} cosine + {1 - dense_share:.0%} BM25, scaled".replace("%", " %")


def depth_of_lists(k: int, depth: int, dense_share: float | None) -> int:
    """Return the depth of the search for each list of hybrid retrieval, see `as_one`."""
    return max(k, depth, 0 if dense_share is None else COMBINED_DEPTH)


def as_one(
    lists: Sequence[Ranking], query: str, k: int, depth: int, dense_share: float | None = None
) -> Ranking:
    """Return the only ranking, or the fusion of two, for which each counts as deep as it was searched.

    Args:
        lists: The dense and the keyword ranking, or one of them.
        k, depth: See `Retriever.search`.
        dense_share: Weight of the dense scores (`core.retrieval.fusion.combine`); None: Reciprocal Rank Fusion.
    """
    if len(lists) == 1:
        return lists[0]
    count = max(k, depth)
    if dense_share is not None:
        sums = combine(lists[0], lists[1], dense_share)[:count]
        return ranking_of(query, "hybrid", combined_score_name(dense_share), k, sums)
    fused = fused_rows(rank_rows([ranking.model_copy(update={"k": count}) for ranking in lists]))
    scored = [(row.passage, row.score) for row in fused[:count]]
    return ranking_of(query, "hybrid", HYBRID_SCORE_NAME, k, scored)


def walk_ranking(ranking: Ranking, walk: WalkResult | str) -> Ranking:
    """Return the ranking of all passages that a walk reached; without a walk an empty one, with the reason."""
    if isinstance(walk, str):
        return ranking.model_copy(update={"retriever": "linked", "hits": (), "note": walk})
    scored = [(walk.links.passages[reached.place], reached.score) for reached in walk.order]
    return ranking_of(ranking.query, "linked", WALK_SCORE_NAME, ranking.k, scored)


def ranking_of(query: str, retriever: str, score_name: str, k: int, scored: Scored) -> Ranking:
    """Return passages with their scores, best first, as a ranking."""
    hits = tuple(Hit(rank=i, score=score, passage=passage) for i, (passage, score) in enumerate(scored, 1))
    return Ranking(query=query, retriever=retriever, score_name=score_name, k=k, hits=hits)
