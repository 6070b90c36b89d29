"""The corpora as one process works with them: retrievers, defaults and jobs, over `core.corpora`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from core.corpora.catalogue import Catalogue, CorpusStores, corpus_name
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.demo import (
    DEMO_CORPORA,
    DEMO_CORPUS,
    changeable_name,
    demo_documents,
    distinct_name,
    ensure_demo,
)
from core.corpora.documents import About, Document
from core.corpora.entries import Corpus
from core.corpora.filtering import FieldValues, fields_of
from core.corpora.reports import IndexReport, Progress
from core.corpora.writing import uninterrupted, writing
from core.errors import InputError, StoreError
from core.jobs import Job, WatchedJob, run_blocking
from core.retrieval.retriever import Retriever, find_retriever
from core.runs.backends import Backends
from core.trace.passages import Passage
from core.users import TEACHER, User

if TYPE_CHECKING:
    from core.corpora.contexts import ContextLedger
    from core.corpora.corpus_languages import KnownLanguages
    from core.corpora.sources import DocumentSource
    from core.retrieval.corpus import EntitySource
    from core.runs.allowances import Allowances
    from core.runs.sources.context_writing import ContextOptions, Contexts
    from core.runs.sources.defaults import RetrieverDefaults

KEPT_RETRIEVERS = 32
"""Corpora, each with a kind of retrieval, that stay open between runs."""
PATIENCE_SECONDS = 2.0
"""How long a change to a corpus waits for an import into it that is just ending."""

Known: TypeAlias = tuple[tuple[About, ...], tuple[FieldValues, ...]]
"""What is known about each document, and by what a filter can tell them apart."""


class IndexJob(WatchedJob[IndexReport, Progress]):
    """Documents being indexed in the background; the documents finished before a stop stay indexed."""

    def __init__(self, work: Callable[[Any], Coroutine[Any, Any, IndexReport]]) -> None:
        super().__init__(work(self.tell), Progress())

    @property
    def message(self) -> str:
        """The progress in a few words."""
        return self.progress.message


class CorpusService:
    """Catalogue, retrievers and indexing jobs of one process; thread-safe."""

    def __init__(
        self, backends: Backends, graphs: EntitySource, allowances: Callable[[], Allowances]
    ) -> None:
        """Take models and servers, the graphs that are built from corpora, and what gives the limits of visitors."""
        self.backends = backends
        self.settings = backends.settings
        self._graphs, self._allowances = graphs, allowances
        self._retrievers: dict[tuple[str, ...], Retriever] = {}
        self._indexing: dict[str, IndexJob] = {}
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, Known]] = {}
        self._catalogue: Catalogue | None = None

    @property
    def catalogue(self) -> Catalogue:
        """Corpora and documents."""
        # Without a lock: while a database server does not answer, everybody waits, but not one after the other.
        if self._catalogue is None:
            self._catalogue = Catalogue(self.settings.database)
        return self._catalogue

    @property
    def allowances(self) -> Allowances:
        """The limits of visitors."""
        return self._allowances()

    @cached_property
    def context_ledger(self) -> ContextLedger:
        """Replies with contexts for chunks."""
        from core.corpora.contexts import ContextLedger

        return ContextLedger(self.settings.database)

    @cached_property
    def known_languages(self) -> KnownLanguages:
        """The languages of corpora that were found out before."""
        from core.corpora.corpus_languages import KnownLanguages

        return KnownLanguages(self.settings.rag_loupe_home / "languages.json")

    @cached_property
    def defaults(self) -> RetrieverDefaults:
        """The retriever of each corpus where nobody chose one."""
        from core.runs.sources.defaults import RetrieverDefaults

        return RetrieverDefaults(self)

    async def stores(self) -> CorpusStores:
        """The stores in which all corpora are kept; the local vector database is started.

        Raises:
            ServiceError, StoreError: It does not start, or the catalogue cannot be opened.
        """
        catalogue = await self._opened()
        return CorpusStores(catalogue, await self.backends.vectors_url(), self.backends.embedder)

    async def retriever(self, corpus: str | None, kind: str, *, later: bool = False) -> Retriever:
        """The retriever over a corpus.

        Args:
            corpus: Its name.
            kind: One of `core.retrieval.kinds.RETRIEVERS`.
            later: Whether Chroma may be asked with the first search only, see `open`.

        Raises:
            InputError: There is no such corpus, or it was indexed with another embedding model.
            ServiceError: The Chroma server does not answer.
            StoreError: The server does not hold the corpus, or the catalogue cannot be read.
        """
        catalogue = await self._opened()
        entry = await asyncio.to_thread(catalogue.corpus, corpus or "")
        stores = await self.stores()
        share = (await self.defaults.find(entry)).dense_share if kind == "hybrid" else None
        key = (entry.id, entry.name, kind, stores.vectors, str(share))
        if key not in self._retrievers:
            while len(self._retrievers) >= KEPT_RETRIEVERS:
                del self._retrievers[next(iter(self._retrievers))]
            self._retrievers[key] = await find_retriever(stores, entry.name, kind, self._graphs, share)
        retriever = self._retrievers[key]
        if not later:
            await self.open(retriever)
        return retriever

    async def open(self, retriever: Retriever) -> None:
        """Ask Chroma for the corpus of a retriever; one of the app that it has lost is indexed again.

        Raises:
            ServiceError: The server does not answer.
            StoreError: It does not hold the corpus.
        """
        try:
            await asyncio.to_thread(lambda: retriever.searchable.chunks)
        except StoreError:
            if retriever.corpus.name not in DEMO_CORPORA:
                raise
            await ensure_demo(retriever.corpus.name, await self.stores())
            await asyncio.to_thread(lambda: retriever.searchable.chunks)

    async def languages(self, retriever: Retriever) -> dict[str, float]:
        """The languages of the documents that a retriever searches, as they are now, the most frequent first, with
        their shares; detected in a sample once for each version of the corpus.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        corpus = retriever.corpus.id
        version = await asyncio.to_thread((await self._opened()).version, corpus)
        shares = await asyncio.to_thread(self.known_languages.of, corpus, version)
        if shares is None:
            await self.open(retriever)
            shares = await asyncio.to_thread(retriever.searchable.languages)
            await asyncio.to_thread(self.known_languages.note, corpus, version, shares)
        return shares

    def offered(self) -> dict[str, Corpus | None]:
        """The corpora that can be chosen, by name: first those that come with the app; None: not indexed yet."""
        indexed: dict[str, Corpus | None] = {corpus.name: corpus for corpus in self.catalogue.corpora()}
        return dict.fromkeys(DEMO_CORPORA) | indexed

    def index(
        self,
        files: Sequence[DocumentSource],
        corpus: str,
        chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
        by: User = TEACHER,
        contexts: ContextOptions | None = None,
    ) -> IndexJob:
        """Index documents into a corpus in the background; the corpus is made if there is none of that name.

        The sizes, and whether a model writes contexts, are for a new corpus; an existing one keeps its own. It must
        belong to whoever asks, and must not be one that comes with the app, nor have a new name that reads like that
        of one.
        """

        async def work(progress: Any) -> IndexReport:
            from core.corpora.ingestion import ingest

            name = await asyncio.to_thread(distinct_name, changeable_name(corpus), await self._opened())
            size = sum(len(file[1]) for file in files if isinstance(file, tuple))
            await asyncio.to_thread(self.allowances.check_room, by, size)
            with self.allowances.under_way(by):
                return await ingest(
                    files,
                    name,
                    await self.stores(),
                    max_mb=self.settings.max_upload_mb,
                    chunk_tokens=chunk_tokens,
                    overlap_tokens=overlap_tokens,
                    contexts=await self._contexts(contexts, by, name),
                    progress=progress,
                    by=by,
                )

        return IndexJob(work)

    async def _contexts(self, options: ContextOptions | None, by: User, corpus: str = "") -> Contexts | None:
        """The writer of contexts for documents, if this user may have this model do it.

        Args:
            options: How they are written; None: as the corpus has them, or not at all.
            by: The user.
            corpus: The corpus that documents are added to, which may be there; empty: a new one.
        """
        from core.runs.sources.context_writing import ContextOptions, open_contexts

        corpora = await asyncio.to_thread(self.catalogue.corpora) if corpus else []
        existing = next((entry for entry in corpora if entry.name == corpus_name(corpus)), None)
        if existing is not None:
            options = (options or ContextOptions()) if existing.contextual else None
            if options and options.chat.is_builtin(self.settings):
                return None  # which is refused with the name of the model that is needed
        if options is None:
            return None
        self.allowances.check_spending(by, options.chat)
        return await open_contexts(self.backends, self.context_ledger, options, by)

    def reindex(
        self,
        corpus: str,
        new_name: str,
        chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
        by: User = TEACHER,
        contexts: ContextOptions | None = None,
    ) -> IndexJob:
        """Index a corpus's documents again as another corpus, in the background; see `core.corpora.reindexing`."""

        async def work(progress: Any) -> IndexReport:
            from core.corpora.reindexing import reindex

            catalogue = await self._opened()
            await asyncio.to_thread(self.allowances.check_room, by)
            with self.allowances.under_way(by):
                return await reindex(
                    await asyncio.to_thread(catalogue.corpus, corpus),
                    await asyncio.to_thread(distinct_name, changeable_name(new_name), catalogue),
                    await self.stores(),
                    chunk_tokens=chunk_tokens,
                    overlap_tokens=overlap_tokens,
                    contexts=await self._contexts(contexts, by),
                    progress=progress,
                    patience=PATIENCE_SECONDS,
                    by=by,
                )

        return IndexJob(work)

    # What follows blocks for a moment, and raises InputError where documents are being added meanwhile.

    def delete(self, corpus: str, by: User = TEACHER) -> None:
        """Delete a corpus with all its documents.

        Raises:
            InputError: There is no such corpus, it is the demo, or it is somebody else's.
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        from core.corpora.ingestion import remove_corpus

        entry = self._changeable(corpus, by)
        run_blocking(remove_corpus(entry, run_blocking(self.stores()), PATIENCE_SECONDS))

    def delete_documents(self, corpus: str, ids: Iterable[str], by: User = TEACHER) -> int:
        """Delete the documents with these ids; how many there were. Raises the same as `delete`."""
        from core.corpora.ingestion import remove_documents

        entry = self._changeable(corpus, by)
        return run_blocking(remove_documents(entry, ids, run_blocking(self.stores()), PATIENCE_SECONDS))

    def rename(self, corpus: str, new_name: str, by: User = TEACHER) -> None:
        """Give a corpus another name, also where graphs were built from it.

        Raises:
            NameTaken: Another corpus has it.
            InputError: There is no such corpus, it is the demo or somebody else's, or the name is unfit.
            StoreError: The catalogue cannot be written.
        """
        entry = self._changeable(corpus, by)
        name = distinct_name(changeable_name(corpus_name(new_name)), self.catalogue, itself=entry.name)

        async def work() -> None:
            async with writing(self.catalogue, entry.id, PATIENCE_SECONDS):
                await uninterrupted(self.catalogue.rename, entry.id, name)
                await uninterrupted(self._rename_in_graphs, entry.name, name)

        run_blocking(work())

    def _changeable(self, corpus: str, by: User) -> Corpus:
        """The corpus of that name, if this user may change it."""
        entry = self.catalogue.corpus(changeable_name(corpus))
        by.check(entry.owner, entry.name)
        return entry

    def _rename_in_graphs(self, corpus: str, name: str) -> None:
        from core.knowledge.store.graph_catalogue import GraphCatalogue

        with closing(GraphCatalogue(self.settings.database)) as graphs:
            graphs.rename_corpus(corpus, name)

    def chunk_store(self, corpus: Corpus) -> ChunkStore:
        """The chunks of a corpus.

        Raises:
            ServiceError, StoreError: Chroma fails.
        """
        return ChunkStore(open_vectors(run_blocking(self.backends.vectors_url())), corpus)

    def opened_document(self, corpus: str, document: str) -> tuple[Document, list[Passage]]:
        """An indexed document, put together from its chunks (see `core.corpora.reindexing`), and its chunks.

        Raises:
            InputError: There is no such corpus or document.
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        from core.corpora.reindexing import rebuild

        owner = self.catalogue.corpus(corpus)
        entry = next(iter(self.catalogue.entries(owner.id, [document])), None)
        if entry is None or not entry.ready:
            raise InputError(f"This document is not in “{owner.name}” any more. It may have been replaced.")
        chunks = self.chunk_store(owner).document(document)
        return rebuild(entry, chunks), chunks

    def known(self, corpus: Corpus) -> Known:
        """The details of each document of a corpus that may be searched; kept until the corpus changes."""
        cached = self._known.get(corpus.id)
        if cached is None or cached[0] != corpus.version:
            while len(self._known) >= KEPT_RETRIEVERS:
                self._known.pop(next(iter(self._known)), None)
            documents = tuple(self.catalogue.about(corpus.id).values())
            cached = self._known[corpus.id] = corpus.version, (documents, fields_of(documents))
        return cached[1]

    def clear_up(self) -> Job[int]:
        """Remove, in the background, what killed imports left behind; see `core.corpora.ingestion.clear_up`."""

        async def work() -> int:
            catalogue = await self._opened()
            corpora = await asyncio.to_thread(catalogue.corpora)
            documents = [await asyncio.to_thread(catalogue.documents, corpus.id) for corpus in corpora]
            if all(entry.ready for entries in documents for entry in entries):
                return 0  # without a vector database being started for it
            from core.corpora.ingestion import clear_up

            return await clear_up(await self.stores())

        return Job(work())

    def demo(self, name: str = DEMO_CORPUS) -> IndexJob:
        """Make a corpus that comes with the app ready, once per process however often it is asked for."""

        async def work(progress: Any) -> IndexReport:
            count = await asyncio.to_thread(
                demo_documents, name, await self._opened(), self.backends.embedder
            )
            if count:  # the vector database need not be asked
                return IndexReport(
                    corpus=name, documents=0, chunks=0, unchanged=count, skipped=(), seconds=0.0
                )
            return await ensure_demo(name, await self.stores(), progress)

        with self._lock:
            job = self._indexing.get(name)
            if job is None or job.error() is not None:
                job = self._indexing[name] = IndexJob(work)
            return job

    async def _opened(self) -> Catalogue:
        """The catalogue, opened in a thread: a database server that does not answer must not stop the loop."""
        return await asyncio.to_thread(lambda: self.catalogue)
