"""The documents of a data set as a corpus, indexed once for each size of chunks; and the retriever by which they are
searched unless somebody chooses another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from core.corpora.catalogue import MAX_NAME, Catalogue, corpus_name
from core.corpora.demo import VECTORS, with_known_vectors
from core.corpora.documents import content_id
from core.corpora.entries import SENTENCES, Corpus, DocumentEntry, chunk_sizes
from core.corpora.gathering import ImportItem
from core.corpora.ingestion import ingest_items, remove_corpus, remove_documents
from core.corpora.loaders.structured import load_jsonl
from core.corpora.reports import Progress
from core.errors import InputError, LoupeError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.dataset_lines import CORPUS
from core.evaluation.datasets import WIKIPEDIA, DataSet, files_of
from core.evaluation.plan import Indexed, Setting
from core.models.chat_models import ChatModel
from core.models.embeddings import Embedder
from core.retrieval.corpus import SAMPLE
from core.retrieval.defaults import FALLBACK, Default
from core.runs.recordings import recorded_default
from core.runs.sources.corpora import CorpusService
from core.runs.sources.sources import Sources
from core.strategies import get_strategy

KNOWN = (VECTORS, WIKIPEDIA / "vectors.npz")
"""Vectors of documents of data sets that come with the app."""
PREFIX = "Data set: "
MARK = 8
"""Digits of the hash of all documents at the end of the corpus's name. Data sets of the same name get different
corpora, and data sets with the same documents share one."""


class NotIndexed(InputError):
    """Documents of a data set are not indexed yet."""


async def index_for(
    dataset: DataSet,
    settings: Sequence[Setting],
    corpora: CorpusService,
    progress: Callable[[Progress], None] = lambda _: None,
    *,
    make: bool = True,
) -> tuple[Indexed, tuple[Setting, ...]]:
    """Index a data set in every size of chunks that settings ask for, one corpus each; see `index`.

    Returns:
        The corpus with chunks of the usual size, or that of the first setting if none has the usual size; and the
        settings, each with its corpus where its chunks have another size.
    """
    by_size: dict[tuple[int | None, int | None], Indexed] = {}
    for sizes in dict.fromkeys((setting.chunk_tokens, setting.overlap_tokens) for setting in settings):
        corpus = await index(dataset, corpora, progress, *sizes, make=make)
        by_size[sizes] = Indexed(name=corpus.name, id=corpus.id, version=corpus.version)
    usual = by_size.get((None, None)) or next(iter(by_size.values()))
    return usual, tuple(
        setting
        if (setting.chunk_tokens, setting.overlap_tokens) == (None, None)
        else setting.model_copy(update={"indexed": by_size[setting.chunk_tokens, setting.overlap_tokens]})
        for setting in settings
    )


async def index(
    dataset: DataSet,
    corpora: CorpusService,
    progress: Callable[[Progress], None] = lambda _: None,
    chunk_tokens: int | None = None,
    overlap_tokens: int | None = None,
    *,
    make: bool = True,
) -> Corpus:
    """The corpus that holds exactly the documents of a data set, whatever its questions and its name are; indexes what
    is missing and removes what somebody added.

    Args:
        progress: Called with the progress, on the event loop; not called if everything is indexed.
        chunk_tokens: Size of the chunks; None: the usual size. Each size has its own corpus.
        overlap_tokens: Overlap of the chunks; None: the usual overlap.
        make: True to index what is missing.

    Raises:
        NotIndexed: Something is missing and is not to be indexed.
        InputError: None of the documents holds any text, or the embedding model cannot have such chunks.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    if _is_app_corpus(dataset, chunk_tokens, overlap_tokens):
        return await _app_corpus(dataset.corpus, corpora, make=make)
    catalogue, embedder = await asyncio.to_thread(lambda: corpora.catalogue), corpora.backends.embedder
    sizes = chunk_sizes(embedder.max_tokens, chunk_tokens, overlap_tokens)
    data = await asyncio.to_thread(_lines, dataset)
    mark = _mark(data, sizes, embedder)
    documents = await asyncio.to_thread(load_jsonl, CORPUS, data)
    ids = {document.id for document in documents if document.text.strip()}
    if not ids:
        raise InputError(f"No document of “{dataset.name}” holds any text.")
    corpus, entries = await asyncio.to_thread(_look, catalogue, mark)
    name = corpus.name if corpus else _name(dataset.name, mark)
    if corpus and corpus.embedder == embedder.key and {entry.id for entry in entries if entry.ready} == ids:
        return corpus
    if not make:
        raise NotIndexed(f"The documents of “{dataset.name}” are not indexed yet.")
    stores = await corpora.stores()
    if corpus and corpus.embedder != embedder.key:
        await remove_corpus(corpus, stores)
    await ingest_items(
        [ImportItem(CORPUS, len(data), lambda _names, _stopped: documents)],
        name,
        replace(stores, embedder=await asyncio.to_thread(with_known_vectors, embedder, KNOWN)),
        chunk_tokens=sizes[0],
        overlap_tokens=sizes[1],
        progress=progress,
    )
    corpus, entries = await asyncio.to_thread(_look, catalogue, mark)
    if corpus and (extra := [entry.id for entry in entries if entry.id not in ids]):
        await remove_documents(corpus, extra, stores)
    return await asyncio.to_thread(catalogue.corpus, name)


def _is_app_corpus(dataset: DataSet, chunk_tokens: int | None, overlap_tokens: int | None) -> bool:
    """True if a corpus of the app is searched in chunks of its own size."""
    return bool(dataset.corpus) and chunk_tokens is None and overlap_tokens is None


async def _app_corpus(name: str, corpora: CorpusService, *, make: bool) -> Corpus:
    """A corpus that comes with the app, made ready where it is not."""
    if not make and (await asyncio.to_thread(corpora.offered)).get(name) is None:
        raise NotIndexed(f"The documents of “{name}” are not indexed yet.")
    await corpora.demo(name).ended()
    return await asyncio.to_thread(corpora.catalogue.corpus, name)


def to_index(dataset: DataSet, settings: Sequence[Setting], corpora: CorpusService) -> int:
    """Number of chunk sizes in which a data set is not yet indexed for these settings; raises `InputError` if the
    embedding model cannot have such chunks. Blocks for a moment."""
    embedder, data = corpora.backends.embedder, _lines(dataset)
    sizes = {
        chunk_sizes(embedder.max_tokens, setting.chunk_tokens, setting.overlap_tokens)
        for setting in settings
        if not _is_app_corpus(dataset, setting.chunk_tokens, setting.overlap_tokens)
    }
    names = [corpus.name for corpus in corpora.catalogue.corpora() if corpus.name.startswith(PREFIX)]
    marks = [_mark(data, size, embedder) for size in sizes]
    return sum(not any(name.endswith(mark) for name in names) for mark in marks)


def document_keys(catalogue: Catalogue, corpus: str) -> dict[str, str]:
    """Id of a document in the corpus with this id -> its id in the data set, the same where no data set gave it one.
    Blocks."""
    return {entry.id: entry.key or entry.id for entry in catalogue.documents(corpus)}


def _mark(data: bytes, sizes: tuple[int, int], embedder: Embedder) -> str:
    """End of the name of the corpus that holds these documents in chunks of this size and overlap."""
    cut = "sentences" if sizes[0] == SENTENCES else f"chunks {sizes[0]}-{sizes[1]}"
    chunks = "" if sizes == chunk_sizes(embedder.max_tokens) else f", {cut}"
    return f"({content_id(data)[:MARK]}{chunks})"


def _name(dataset: str, mark: str) -> str:
    return corpus_name(f"{PREFIX}{dataset[: MAX_NAME - len(PREFIX) - len(mark) - 1].rstrip()} {mark}")


def _look(catalogue: Catalogue, mark: str) -> tuple[Corpus | None, list[DocumentEntry]]:
    matches = (c for c in catalogue.corpora() if c.name.startswith(PREFIX) and c.name.endswith(mark))
    corpus = next(matches, None)
    if corpus is not None and corpus.owner:  # made by hand, so it must not change while it is evaluated with
        catalogue.give_to_teacher(corpus.id)
    return corpus, catalogue.documents(corpus.id) if corpus else []


def _lines(dataset: DataSet) -> bytes:
    """The documents as the loader of data sets reads them."""
    return files_of(dataset)[CORPUS].removesuffix("\n").encode("utf-8", "replace")


class _Traits(NamedTuple):
    """The properties of a data set on which the choice of its retriever depends."""

    languages: Mapping[str, float]
    questions: frozenset[str]


def default_of(sources: Sources, key: str, strategy: str, chat: ChatModel) -> Default:
    """The default retriever of a strategy for the data set with this key: that of its questions in the recording that
    plays, else that of `core.retrieval.defaults`. Blocks for a second the first time."""
    try:
        traits = _traits_by_key(sources, key)
    except LoupeError:  # the page says what is wrong with it
        return Default(FALLBACK)
    return _default(sources, traits, strategy, chat)


def with_defaults(
    sources: Sources, dataset: DataSet, settings: Sequence[Setting], chat: ChatModel
) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    """Settings with their default retrievers, but for strategies that search in one way only; and why, in sentences."""
    traits = _traits(sources, dataset)
    defaults = {
        setting.strategy: _default(sources, traits, setting.strategy, chat)
        for setting in settings
        if get_strategy(setting.strategy).choosable
    }
    resolved = (
        setting.model_copy(update={"retriever": defaults[setting.strategy].retriever})
        if setting.strategy in defaults
        else setting
        for setting in settings
    )
    return tuple(resolved), tuple(dict.fromkeys(default.why for default in defaults.values() if default.why))


def _default(sources: Sources, traits: _Traits, strategy: str, chat: ChatModel) -> Default:
    if chat.play:
        name, runs = chat.play.recording.name, sources.recordings.store.runs(chat.play.recording.id)
        if default := recorded_default(name, runs, strategy, questions=traits.questions):
            return default
    return sources.corpora.defaults.among(traits.languages)


def _traits(sources: Sources, dataset: DataSet) -> _Traits:
    documents = dataset.documents
    sample = documents[:: max(1, len(documents) // SAMPLE)][:SAMPLE]
    texts = [f"{document.title}\n{document.text}" for document in sample]
    shares = sources.corpora.known_languages.of_texts(dataset.key, texts)
    return _Traits(shares, frozenset(question.text for question in dataset.questions))


@lru_cache(maxsize=64)
def _traits_by_key(sources: Sources, key: str) -> _Traits:
    return _traits(sources, data_sets_of(sources).open(key))
