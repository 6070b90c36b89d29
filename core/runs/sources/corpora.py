"""The corpora as one process works with them: searching, indexing, and what is there."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeAlias

from core.corpora.about import About
from core.corpora.catalogue import Catalogue, corpus_name
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.corpus_languages import KnownLanguages
from core.corpora.demo import (
    DEMO_CORPORA,
    DEMO_CORPUS,
    demo_documents,
    ensure_demo,
    not_demo,
    told_apart,
)
from core.corpora.documents import Document
from core.corpora.entries import Corpus
from core.corpora.filtering import FieldValues, fields_of, matching, parse_where
from core.corpora.reports import IndexReport
from core.corpora.stores import CorpusStores
from core.corpora.writing import uninterrupted, writing
from core.errors import InputError, StoreError
from core.jobs import Job, run_blocking
from core.models.choice import builtin_answers
from core.retrieval.retriever import Retriever, find_retriever
from core.runs.allowances import Allowances
from core.runs.backends import Backends
from core.runs.sources.defaults import RetrieverDefaults
from core.runs.sources.index_job import IndexJob
from core.trace.passages import Passage
from core.users import TEACHER, User

if TYPE_CHECKING:
    from core.corpora.contexts import ContextLedger
    from core.corpora.labels import Finder
    from core.corpora.sources import Source
    from core.retrieval.corpus import EntitySource
    from core.runs.sources.context_writing import ContextForecast, ContextOptions, Contexts

KEPT_RETRIEVERS = 32
"""Corpora, each with a kind of retrieval, that stay open between runs."""
PATIENCE_SECONDS = 2.0
"""How long a change to a corpus waits for an import into it that is just ending."""

Known: TypeAlias = tuple[tuple[About, ...], tuple[FieldValues, ...]]
"""What is known about each document, and by what a filter can tell them apart."""


class CorpusService:
    """Catalogue, retrievers and indexing jobs of one process; thread-safe."""

    def __init__(
        self, backends: Backends, graphs: EntitySource | None = None, allowances: Allowances | None = None
    ) -> None:
        """
        Args:
            backends: Models and servers.
            graphs: Built from corpora.
            allowances: What visitors may spend; None: no room that they have taken is known.
        """
        self.allowances = allowances or Allowances(backends.settings, ())
        self.backends = backends
        self.settings = backends.settings
        self._graphs = graphs
        self._retrievers: dict[tuple[str, ...], Retriever] = {}
        self._indexing: dict[str, IndexJob] = {}
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, Known]] = {}
        self._languages = KnownLanguages(self.settings.rag_loupe_home / "languages.json")
        self.defaults = RetrieverDefaults(backends, self._known_languages, self._find_languages)
        """With which retriever a corpus is searched where nobody chose."""
        self._catalogue: Catalogue | None = None
        self._context_ledger: ContextLedger | None = None

    @property
    def catalogue(self) -> Catalogue:
        """Corpora and documents."""
        # Without a lock: while a database server does not answer, everybody waits, but not one after the other.
        if self._catalogue is None:
            self._catalogue = Catalogue(self.settings.database)
        return self._catalogue

    @property
    def context_ledger(self) -> ContextLedger:
        """Replies with contexts for chunks."""
        if self._context_ledger is None:
            from core.corpora.contexts import ContextLedger

            self._context_ledger = ContextLedger(self.settings.database)
        return self._context_ledger

    async def stores(self) -> CorpusStores:
        """What all corpora are kept in; the local vector database is started.

        Raises:
            ServiceError, StoreError: It does not start, or the catalogue cannot be opened.
        """
        catalogue = await self._opened()
        return CorpusStores(catalogue, await self.backends.vectors_url(), self.backends.embedder)

    async def retriever(self, corpus: str | None, kind: str, *, later: bool = False) -> Retriever:
        """The retriever over a corpus.

        Args:
            corpus: Its name.
            kind: One of `core.retrieval.retriever.RETRIEVERS`.
            later: Whether Chroma may be asked with the first search only, see `open`.

        Raises:
            InputError: There is no such corpus, or it was indexed with another embedding model.
            ServiceError: The Chroma server does not answer.
            StoreError: The server does not hold the corpus, or the catalogue cannot be read.
        """
        catalogue = await self._opened()
        found = await asyncio.to_thread(catalogue.corpus, corpus or "")
        stores = await self.stores()
        share = (await self.defaults.found(found)).dense_share if kind == "hybrid" else None
        key = (found.id, found.name, kind, stores.vectors, str(share))
        if key not in self._retrievers:
            while len(self._retrievers) >= KEPT_RETRIEVERS:
                del self._retrievers[next(iter(self._retrievers))]
            self._retrievers[key] = await find_retriever(stores, found.name, kind, self._graphs, share)
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
            await retriever.open()
        except StoreError:
            if retriever.corpus.name not in DEMO_CORPORA:
                raise
            await ensure_demo(retriever.corpus.name, await self.stores())
            await retriever.open()

    async def languages(self, retriever: Retriever) -> dict[str, float]:
        """The languages of the documents that a retriever searches, as they are now, the most frequent first, with
        their shares; told by a sample once for each version of the corpus.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        corpus = retriever.corpus.id
        version = await asyncio.to_thread((await self._opened()).version, corpus)
        found = await asyncio.to_thread(self._languages.of, corpus, version)
        if found is None:
            await self.open(retriever)
            found = await retriever.languages()
            await asyncio.to_thread(self._languages.note, corpus, version, found)
        return found

    def languages_of(self, key: str, texts: Sequence[str]) -> dict[str, float]:
        """The languages of a sample of texts with their shares; told once for each key. Blocks for a moment."""
        found = self._languages.of(key, 0)
        if found is None:
            from core.corpora.corpus_languages import languages

            found = languages(texts)
            self._languages.note(key, 0, found)
        return found

    def _known_languages(self, corpus: Corpus) -> dict[str, float] | None:
        return self._languages.of(corpus.id, corpus.version)

    async def _find_languages(self, corpus: Corpus) -> dict[str, float]:
        stores = await self.stores()
        return await self.languages(await find_retriever(stores, corpus.name, "keyword", self._graphs))

    def all(self) -> list[Corpus]:
        """Every corpus, with its number of documents and chunks and its example questions."""
        return self.catalogue.corpora()

    def offered(self) -> dict[str, Corpus | None]:
        """The corpora that can be chosen, by name: first those that come with the app; None: not indexed yet."""
        there: dict[str, Corpus | None] = {corpus.name: corpus for corpus in self.all()}
        return dict.fromkeys(DEMO_CORPORA) | there

    def index(
        self,
        files: Sequence[Source],
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

        async def work(report: Any) -> IndexReport:
            catalogue = await self._opened()
            from core.corpora.ingestion import ingest

            name = await asyncio.to_thread(told_apart, not_demo(corpus), catalogue)
            more = sum(len(one[1]) for one in files if isinstance(one, tuple))
            await asyncio.to_thread(self.allowances.check_room, by, more)
            with self.allowances.under_way(by):
                return await ingest(
                    files,
                    name,
                    await self.stores(),
                    max_mb=self.settings.max_upload_mb,
                    chunk_tokens=chunk_tokens,
                    overlap_tokens=overlap_tokens,
                    contexts=await self._contexts(name, contexts, by),
                    progress=report,
                    by=by,
                )

        return IndexJob(work)

    def context_forecast(
        self,
        what: str | Sequence[Source],
        chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
        model: str = "",
        most: int = 200,
    ) -> ContextForecast:
        """What contexts for a corpus that is indexed again, or for files, will take. Blocks while reading documents.

        Args:
            what: Name of the corpus, or the files.
            chunk_tokens: Chunk size; None: the usual size.
            overlap_tokens: Overlap of chunks; None: the usual overlap.
            model: Name of the chat model; empty: the server's.
            most: Documents to read; more are judged by these.

        Raises:
            InputError: There is no such corpus or file, or a size is unfit.
            ServiceError, StoreError: Chroma or the database fails.
        """
        from core.corpora.gathering import file_items
        from core.corpora.reindexing import rebuilt_items
        from core.corpora.sources import expand
        from core.runs.sources.context_writing import forecast

        if isinstance(what, str):
            found = self.catalogue.corpus(what)
            items = rebuilt_items(self.catalogue.documents(found.id), self._chunks(found))
        else:
            items = file_items(expand(what), self.settings.max_upload_mb)
        sizes, embedder = (chunk_tokens, overlap_tokens), self.backends.embedder
        model = model or self.settings.chat_model
        return forecast(items, sizes, embedder, self.context_ledger, self.settings, model, most)

    async def _contexts(self, corpus: str, wanted: ContextOptions | None, by: User) -> Contexts | None:
        """What writes contexts for documents that are added to a corpus, which is there or will be made."""
        from core.runs.sources.context_writing import ContextOptions

        found = next(
            (one for one in await asyncio.to_thread(self.all) if one.name == corpus_name(corpus)), None
        )
        if found is not None:
            if found.contextual is None:
                return None
            wanted = wanted or ContextOptions()
            if builtin_answers(self.settings, wanted.chat):
                return None  # which is refused with the name of the model that is needed
        return await self._writer(wanted, by)

    async def _writer(self, wanted: ContextOptions | None, by: User) -> Contexts | None:
        """What writes contexts, if somebody may have this model do it."""
        from core.runs.sources.context_writing import open_contexts

        if wanted is None:
            return None
        self.allowances.check_spending(by, wanted.chat)
        return await open_contexts(self.backends, self.context_ledger, wanted, by)

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

        async def work(report: Any) -> IndexReport:
            catalogue = await self._opened()
            from core.corpora.reindexing import reindex

            await asyncio.to_thread(self.allowances.check_room, by)
            with self.allowances.under_way(by):
                return await reindex(
                    await asyncio.to_thread(catalogue.corpus, corpus),
                    await asyncio.to_thread(told_apart, not_demo(new_name), catalogue),
                    await self.stores(),
                    chunk_tokens=chunk_tokens,
                    overlap_tokens=overlap_tokens,
                    contexts=await self._writer(contexts, by),
                    progress=report,
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
        found = self._theirs(corpus, by)

        async def work() -> None:
            from core.corpora.ingestion import remove_corpus

            await remove_corpus(found, await self.stores(), PATIENCE_SECONDS)

        run_blocking(work())

    def delete_documents(self, corpus: str, ids: Iterable[str], by: User = TEACHER) -> int:
        """Delete the documents with these ids; how many there were.

        Raises:
            InputError: There is no such corpus, it is the demo, or it is somebody else's.
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        found = self._theirs(corpus, by)

        async def work() -> int:
            from core.corpora.ingestion import remove_documents

            return await remove_documents(found, ids, await self.stores(), PATIENCE_SECONDS)

        return run_blocking(work())

    def rename(self, corpus: str, new_name: str, by: User = TEACHER) -> None:
        """Give a corpus another name, also where graphs were built from it.

        Raises:
            NameTaken: Another corpus has it.
            InputError: There is no such corpus, it is the demo or somebody else's, or the name is unfit.
            StoreError: The catalogue cannot be written.
        """
        found = self._theirs(corpus, by)
        name = told_apart(not_demo(corpus_name(new_name)), self.catalogue, itself=found.name)

        async def work() -> None:
            async with writing(self.catalogue, found.id, PATIENCE_SECONDS):
                await uninterrupted(self.catalogue.rename, found.id, name)
                await uninterrupted(self._rename_in_graphs, found.name, name)

        run_blocking(work())

    def _theirs(self, corpus: str, by: User) -> Corpus:
        """The corpus of that name, if it may be changed."""
        found = self.catalogue.corpus(not_demo(corpus))
        by.check(found.owner, found.name)
        return found

    def _rename_in_graphs(self, corpus: str, name: str) -> None:
        from core.knowledge.store.graph_catalogue import GraphCatalogue

        with closing(GraphCatalogue(self.settings.database)) as graphs:
            graphs.rename_corpus(corpus, name)

    def opened_document(self, corpus: str, document: str) -> tuple[Document, list[Passage]]:
        """An indexed document, put together from its chunks (see `core.corpora.reindexing`), and its chunks.

        Raises:
            InputError: There is no such corpus or document.
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        found = self.catalogue.corpus(corpus)
        entry = next((item for item in self.catalogue.documents(found.id) if item.id == document), None)
        if entry is None or not entry.ready:
            raise InputError(f"This document is not in “{found.name}” any more. It may have been replaced.")
        chunks = sorted(self._chunks(found).document(document), key=lambda chunk: chunk.position)
        from core.corpora.reindexing import rebuild

        return rebuild(entry, chunks), chunks

    def chunks(self, corpus: str, ids: Sequence[str]) -> dict[str, Passage]:
        """The chunks with these ids that are in a corpus, by id.

        Raises:
            InputError: There is no such corpus.
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        found = self.catalogue.corpus(corpus)
        return self._chunks(found).chunks(ids)

    def finder(self, corpus: Corpus) -> Finder:
        """What finds quoted words in a corpus, see `core.corpora.labels.finder`. Blocks while reading all of it.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        from core.corpora.labels import finder

        return finder(self._chunks(corpus).passages(frozenset(self.catalogue.ready(corpus.id))))

    def titles(self, corpus: str) -> dict[str, str]:
        """What the documents of a corpus are called, by id; empty: there is no such corpus. Blocks."""
        found = next((one for one in self.all() if one.name == corpus), None)
        entries = self.catalogue.documents(found.id) if found else ()
        return {entry.id: entry.title or entry.name for entry in entries}

    def known(self, corpus: Corpus) -> Known:
        """What is known about each document of a corpus that may be searched; kept until the corpus changes."""
        kept = self._known.get(corpus.id)
        if kept is None or kept[0] != corpus.version:
            while len(self._known) >= KEPT_RETRIEVERS:
                self._known.pop(next(iter(self._known)), None)
            documents = tuple(self.catalogue.about(corpus.id).values())
            kept = self._known[corpus.id] = corpus.version, (documents, fields_of(documents))
        return kept[1]

    def sources(self, corpus: str, most: int, where: Sequence[str] = ()) -> list[tuple[Passage, str]]:
        """All chunks of a small corpus, or of its documents that match a filter, each with the title that it is
        indexed with; empty if the corpus has more than `most`.

        Raises:
            InputError: There is no such corpus.
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        found = self.catalogue.corpus(corpus)
        if found.chunks > most:
            return []
        titles = self.catalogue.ready(found.id)
        chosen = matching(parse_where(where), self.catalogue.about(found.id)) if where else titles
        passages = self._chunks(found).passages(frozenset(titles.keys() & chosen))
        return [(passage, titles[passage.document]) for passage in passages]

    def clear_up(self) -> Job[int]:
        """Remove, in the background, what killed imports left behind; see `core.corpora.ingestion.clear_up`."""

        async def work() -> int:
            catalogue = await self._opened()
            entries = [
                entry
                for corpus in await asyncio.to_thread(catalogue.corpora)
                for entry in await asyncio.to_thread(catalogue.documents, corpus.id)
            ]
            if all(entry.ready for entry in entries):
                return 0  # without a vector database being started for it
            from core.corpora.ingestion import clear_up

            return await clear_up(await self.stores())

        return Job(work())

    def demo(self, name: str = DEMO_CORPUS) -> IndexJob:
        """Make a corpus that comes with the app ready, once per process however often it is asked for."""

        async def work(report: Any) -> IndexReport:
            there = await asyncio.to_thread(
                demo_documents, name, await self._opened(), self.backends.embedder
            )
            if there:  # the vector database need not be asked
                return IndexReport(
                    corpus=name, documents=0, chunks=0, unchanged=there, skipped=(), seconds=0.0
                )
            done = await ensure_demo(name, await self.stores(), report)
            if done.moved_to:
                await uninterrupted(self._rename_in_graphs, name, done.moved_to)
            return done

        with self._lock:
            job = self._indexing.get(name)
            if job is None or job.error() is not None:
                job = self._indexing[name] = IndexJob(work)
            return job

    def _chunks(self, corpus: Corpus) -> ChunkStore:
        return ChunkStore(open_vectors(run_blocking(self.backends.vectors_url())), corpus)

    async def _opened(self) -> Catalogue:
        """The catalogue, opened in a thread: a database server that does not answer must not stop the loop."""
        return await asyncio.to_thread(lambda: self.catalogue)
