"""Chunks and their vectors in Chroma, one collection per corpus and embedding model."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from itertools import count as counting
from math import ceil
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from core.corpora.entries import Corpus
from core.errors import ServiceError, StoreError
from core.models.embedding_vectors import cosine_matrix
from core.trace.passages import ChunkContext, Passage

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.types import Where
    from langchain_chroma import Chroma

Scored = tuple[Passage, float]
"""A chunk and its cosine similarity."""
_PAGE = 1000
"""Chunks read at a time."""
NEAREST: CreateCollectionConfiguration = {"hnsw": {"space": "cosine", "ef_search": 500}}
"""Settings of the search in a collection. With Chroma's own 100, 8 of 150 questions lost one of their ten nearest among
3,443 chunks, not always the same one; with 500 none did, a millisecond later."""
_SPARE, _DEEP = 2, 400
"""Where a part of the documents is searched: how many times as many chunks are asked for as that share lets expect to
be needed, and up to how many that is quicker than to name the documents (50,000 chunks: `research.filtered`)."""
_MOST_NAMED = 20_000
"""Documents that a request may name; databases limit the number of parameters."""
_CONTEXT, _CONTEXT_MODEL = "context", "context_model"
"""Metadata of a chunk that has a context for the index."""
_RUN = 10
"""Chunks of a sample that lie next to one another."""


@cache
def open_vectors(url: str) -> ClientAPI:
    """Return a client of the Chroma server at this URL, e.g. `http://127.0.0.1:8000`.

    Raises:
        ServiceError: Nothing that speaks Chroma's protocol answers there.
    """
    importlib.import_module("numpy")  # before Chroma, which begins with a part of it: see `import_vectors`
    import chromadb  # takes a second to import: not before it is needed
    from chromadb.config import Settings

    parts = urlsplit(url)
    secure = parts.scheme == "https"
    host = parts.hostname or "localhost"
    with vector_errors():
        return chromadb.HttpClient(
            host=f"[{host}]" if ":" in host else host,
            port=parts.port or (443 if secure else 80),
            ssl=secure,
            # Without TLS there is nothing to verify, and reading the certificates takes longer than most requests.
            settings=Settings(anonymized_telemetry=False, chroma_server_ssl_verify=None if secure else False),
        )


class ChunkStore:
    """The chunks of one corpus, in LangChain's Chroma store. Calls block; from a coroutine, use a thread.

    Every method raises `ServiceError` when the server does not answer.
    """

    def __init__(self, client: ClientAPI, corpus: Corpus, *, create: bool = False) -> None:
        """Open the corpus's collection by a client, see `open_vectors`; `create`: make it where there is none.

        Raises:
            StoreError: There is none on this server.
        """
        from langchain_chroma import Chroma

        self._client = client
        self.name = collection_name(corpus)
        with vector_errors():
            self.is_new = create and not _exists(client, self.name)
            self.langchain: Chroma = Chroma(
                client=client,
                client_settings=client.get_settings(),  # else it reads the environment: 6 ms
                collection_name=self.name,
                collection_configuration=NEAREST,
                create_collection_if_not_exists=create,
            )

    @cached_property
    def _collection(self) -> Collection:
        """The bare collection, for what LangChain's store does not offer."""
        return self._client.get_collection(self.name)

    def add(self, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        """Write chunks with the vectors given; a chunk of the same id is replaced."""
        with vector_errors():
            # Not through LangChain: it would embed the text alone, without the document's title.
            self._collection.upsert(
                ids=[passage.chunk for passage in passages],
                embeddings=cast("list[Sequence[float]]", vectors),
                documents=[passage.text for passage in passages],
                metadatas=[_metadata(passage) for passage in passages],
            )

    def remove(self, documents: Sequence[str]) -> None:
        """Delete all chunks of the documents with these ids."""
        with vector_errors():
            for start in range(0, len(documents), _PAGE):
                self.langchain.delete(where=_among(documents[start : start + _PAGE]))

    def drop(self) -> None:
        """Delete the collection."""
        with vector_errors():
            self._client.delete_collection(self.name)

    def passages(self, documents: frozenset[str]) -> list[Passage]:
        """Return all chunks of the documents with these ids, by document and position."""
        passages: list[Passage] = []
        with vector_errors():
            for offset in counting(0, _PAGE):
                page = _passages(self.langchain.get(limit=_PAGE, offset=offset))
                passages.extend(page)
                if len(page) < _PAGE:
                    break
        chosen = (passage for passage in passages if passage.document in documents)
        return sorted(chosen, key=lambda passage: (passage.document, passage.position))

    def document(self, document: str) -> list[Passage]:
        """Return all chunks of the document with this id, by position."""
        with vector_errors():
            result = self.langchain.get(where={"document": document})
        return sorted(_passages(result), key=lambda passage: passage.position)

    def chunks(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Return the chunks with these ids, as far as they are there."""
        passages: dict[str, Passage] = {}
        with vector_errors():
            for start in range(0, len(ids), _PAGE):
                page = self.langchain.get(ids=list(ids[start : start + _PAGE]))
                passages |= {passage.chunk: passage for passage in _passages(page)}
        return passages

    def sample(self, count: int, documents: frozenset[str]) -> list[tuple[Passage, list[float]]]:
        """Return up to `count` chunks of the documents with these ids, with their vectors: the same ones each time.

        They are taken from evenly spaced places of the collection, in runs of `_RUN`.
        """
        with vector_errors():
            total = self._collection.count()
            runs = max(1, count // _RUN)
            size = count if total <= count else _RUN
            offsets = [0] if total <= count else [place * (total - _RUN) // runs for place in range(runs)]
            chunks: dict[str, tuple[Passage, list[float]]] = {}
            for offset in offsets:
                chunks |= self._with_vectors(limit=size, offset=offset)
        return [chunk for chunk in chunks.values() if chunk[0].document in documents][:count]

    def vectors(self, chunks: Sequence[str]) -> dict[str, list[float]]:
        """Return the vectors of the chunks with these ids, as far as they are there."""
        if not chunks:
            return {}
        with vector_errors():
            result: Any = self._collection.get(ids=list(chunks), include=["embeddings"])  # texts take longer
        return dict(zip(result["ids"], result["embeddings"].tolist(), strict=True))

    def _with_vectors(self, **which: Any) -> dict[str, tuple[Passage, list[float]]]:
        page = self.langchain.get(include=["documents", "metadatas", "embeddings"], **which)
        return {
            passage.chunk: (passage, [float(number) for number in vector])
            for passage, vector in zip(_passages(page), page["embeddings"], strict=True)
        }

    def nearest(
        self, vectors: Sequence[Sequence[float]], count: int, documents: frozenset[str], share: float = 1.0
    ) -> list[list[tuple[Passage, float]]]:
        """Return the nearest chunks of each vector, nearest first, with their cosine similarity (-1 to 1).

        Args:
            vectors: Vectors of the embedding model of the collection.
            count: Most chunks for each vector.
            documents: Ids of the documents to search; chunks of other documents are left out.
            share: Of all documents. Below 1, either more is searched than is returned, or the documents are named to
                the server, which then takes ten to thirty times as long, however few they are.
        """
        depth = ceil(_SPARE * count / share) if share < 1 else count
        among = (
            _among(sorted(documents))
            if depth > _DEEP and share < 1 <= len(documents) <= _MOST_NAMED
            else None
        )
        while True:
            with vector_errors():
                results = self._search(vectors, count if among else depth, among)
            chosen = [[hit for hit in hits if hit[0].document in documents][:count] for hits in results]
            # Chunks of other documents are there only while documents are added: rarely, and few. Then search deeper.
            if among or all(
                len(part) == count or len(hits) < depth for part, hits in zip(chosen, results, strict=True)
            ):
                return chosen
            depth *= 4
            if share < 1 and depth > _DEEP and len(documents) <= _MOST_NAMED:
                among = _among(sorted(documents))

    def _search(
        self, vectors: Sequence[Sequence[float]], count: int, among: Where | None = None
    ) -> list[list[Scored]]:
        """Return the nearest chunks of each vector, whatever their document, or `among` some.

        Several vectors go to the server in one request. LangChain's store would send one after the other, which takes
        three times as long for five vectors among 500 chunks, see `research.chroma_store`.
        """
        if len(vectors) == 1 and among is None:
            hits = self.langchain.similarity_search_by_vector_with_relevance_scores(list(vectors[0]), count)
            found = [[_scored(hit.id, hit.page_content, hit.metadata, distance) for hit, distance in hits]]
            return self._complete(found, vectors, count)
        result: Any = self._collection.query(
            cast("list[Sequence[float]]", vectors), n_results=count, where=among
        )
        columns = (result[name] for name in ("ids", "documents", "metadatas", "distances"))
        found = [list(map(_scored, *query)) for query in zip(*columns, strict=True)]
        return found if among else self._complete(found, vectors, count)

    def _complete(
        self, found: list[list[Scored]], vectors: Sequence[Sequence[float]], count: int
    ) -> list[list[Scored]]:
        """Return what was found, or all by exact search where the graph of a small collection cannot reach a chunk.

        HNSW may lose one after deletions (github.com/chroma-core/chroma/issues/7758). Of a large collection all are
        hardly ever wanted, and its vectors are too many to read.
        """
        if all(len(hits) == count for hits in found):
            return found
        total = self._collection.count()
        complete = all(len(hits) == min(count, total) for hits in found)
        return found if complete or total > _PAGE else self.exact(vectors, count)

    def exact(self, vectors: Sequence[Sequence[float]], count: int) -> list[list[Scored]]:
        """Return the nearest chunks of each vector as `_search` does, compared with every vector of the collection."""
        passages, stored = zip(*self._with_vectors().values(), strict=True)
        cosines = cosine_matrix(vectors, stored)
        return [
            [(passages[place], float(row[place])) for place in (-row).argsort(kind="stable")[:count]]
            for row in cosines
        ]


def collection_name(corpus: Corpus) -> str:
    """Return the name of the corpus's collection: Chroma allows ASCII letters, digits, `-`, `_` and `.`."""
    return f"{corpus.id}-{hashlib.sha256(corpus.embedder.encode()).hexdigest()[:8]}"


def to_passage(chunk: str, text: str, metadata: dict[str, Any]) -> Passage:
    """Return the passage of a stored chunk."""
    written = {name: metadata.pop(name) for name in (_CONTEXT, _CONTEXT_MODEL) if name in metadata}
    context = ChunkContext(text=written[_CONTEXT], model=written.get(_CONTEXT_MODEL, "")) if written else None
    return Passage(chunk=chunk, text=text, indexed_with=context, **metadata)


def _scored(chunk: Any, text: str, metadata: Mapping[str, Any], distance: float) -> Scored:
    """Return a hit; Chroma gives the cosine distance, 1 - similarity."""
    return to_passage(chunk, text, dict(metadata)), 1 - distance


def _passages(result: Mapping[str, Any]) -> list[Passage]:
    """Return the passages of what LangChain's store returns for `get`."""
    return list(map(to_passage, result["ids"], result["documents"], result["metadatas"]))


def _exists(client: ClientAPI, collection: str) -> bool:
    from chromadb.errors import NotFoundError

    try:
        client.get_collection(collection)
    except NotFoundError:
        return False
    return True


def _metadata(passage: Passage) -> dict[str, str | int]:
    # Chroma has no empty values, and no nested ones: what is missing is left out.
    plain = passage.model_dump(exclude={"chunk", "text", "indexed_with"}, exclude_none=True)
    context = passage.indexed_with
    return plain | ({_CONTEXT: context.text, _CONTEXT_MODEL: context.model} if context else {})


def _among(documents: Sequence[str]) -> Where:
    return cast("Where", {"document": {"$in": list(documents)}})


@contextmanager
def vector_errors(
    gone: str = "The index of this corpus is not on this Chroma server. Add its documents again.",
) -> Iterator[None]:
    """Turn Chroma's exceptions into errors with a sentence; `gone` is the sentence for a missing collection."""
    import httpx
    from chromadb.errors import ChromaError, NotFoundError

    try:
        yield
    except NotFoundError as error:
        raise StoreError(gone) from error
    except (ChromaError, httpx.HTTPError, ValueError) as error:
        raise ServiceError(
            f"The Chroma server does not answer as it should ({type(error).__name__}). "
            "Check that it runs, and CHROMA_URL if it is set."
        ) from error
