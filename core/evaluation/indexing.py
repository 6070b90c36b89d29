"""The documents of a data set as a corpus of their own, indexed once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from core.corpora.catalogue import MAX_NAME, Catalogue, corpus_name
from core.corpora.demo import with_known_vectors
from core.corpora.documents import document_id
from core.corpora.entries import Corpus, Entry
from core.corpora.gathering import Item
from core.corpora.ingestion import ingest_items, remove_corpus, remove_documents
from core.corpora.loaders.jsonl import load_jsonl
from core.corpora.reports import Progress
from core.errors import InputError
from core.evaluation.datasets import DataSet
from core.runs.library import Library

PREFIX = "Data set: "
MARK = 8
"""Digits of the hash of all documents, which end the corpus's name: two sets of one name do not index over each
other, and the same documents under two names are indexed once."""
_FILE = "corpus.jsonl"


async def indexed(
    dataset: DataSet, library: Library, progress: Callable[[Progress], None] = lambda _: None
) -> Corpus:
    """The corpus that holds exactly the documents of a data set, whatever its questions and its name are; indexes what
    is missing and removes what somebody added.

    Args:
        dataset: Whose documents.
        library: Where the corpus is.
        progress: Told how far it is; called on the event loop, and not at all where everything is there.

    Raises:
        InputError: None of the documents holds any text.
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    catalogue, embedder = await asyncio.to_thread(lambda: library.catalogue), library.engines.embedder
    data = await asyncio.to_thread(_lines, dataset)
    mark = f"({document_id(data)[:MARK]})"
    documents = await asyncio.to_thread(load_jsonl, _FILE, data)
    wanted = {document.id for document in documents if document.text.strip()}
    if not wanted:
        raise InputError(f"No document of “{dataset.name}” holds any text.")
    corpus, there = await asyncio.to_thread(_look, catalogue, mark)
    name = corpus.name if corpus else _name(dataset.name, mark)
    if corpus and corpus.embedder == embedder.key and {entry.id for entry in there if entry.ready} == wanted:
        return corpus
    url = await library.engines.vectors_url()
    if corpus and corpus.embedder != embedder.key:
        await remove_corpus(corpus, catalogue=catalogue, vectors=url)
    await ingest_items(
        [Item(_FILE, len(data), lambda _names, _stopped: documents)],
        name,
        catalogue=catalogue,
        vectors=url,
        embedder=await asyncio.to_thread(with_known_vectors, embedder),
        progress=progress,
    )
    corpus, there = await asyncio.to_thread(_look, catalogue, mark)
    if corpus and (gone := [entry.id for entry in there if entry.id not in wanted]):
        await remove_documents(corpus, gone, catalogue=catalogue, vectors=url)
    return await asyncio.to_thread(catalogue.corpus, name)


def document_keys(catalogue: Catalogue, corpus: str) -> dict[str, str]:
    """Of the corpus with this id: id of a document -> its id in the data set. Blocks."""
    return {entry.id: entry.key for entry in catalogue.documents(corpus)}


def _name(dataset: str, mark: str) -> str:
    return corpus_name(f"{PREFIX}{dataset[: MAX_NAME - len(PREFIX) - len(mark) - 1].rstrip()} {mark}")


def _look(catalogue: Catalogue, mark: str) -> tuple[Corpus | None, list[Entry]]:
    corpora = catalogue.corpora()
    found = next((one for one in corpora if one.name.startswith(PREFIX) and one.name.endswith(mark)), None)
    return found, catalogue.documents(found.id) if found else []


def _lines(dataset: DataSet) -> bytes:
    """As the loader of data sets reads them."""
    fields = ({"id": one.id, "title": one.title, "text": one.text} for one in dataset.documents)
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in fields).encode("utf-8", "replace")
