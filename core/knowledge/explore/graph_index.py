"""The search index of a graph: its entities, hypernodes and relation names as vectors, in Chroma.

One collection per graph and embedding model. It is made when a graph is first explored, and brought up to date when
the graph has changed since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from core.corpora.chunk_store import NEAREST, vector_errors
from core.knowledge.records import NodeRecord
from core.knowledge.store.graph_catalogue import Graph
from core.models.embeddings import Embedder
from core.trace.passages import Frozen

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

What = Literal["entity", "hypernode", "relation"]
Progress = Callable[[int, int], None]
"""Told how many entries are indexed, and how many there are."""
BATCH = 256
_PAGE = 5000
_SUFFIX = "-graph"
_GONE = "The search index of this graph is not on this Chroma server any more. Ask again: it will be rebuilt."


class IndexEntry(Frozen):
    """Something of a graph that can be searched for."""

    what: What
    id: str
    """Id of the node; name of the relation."""
    name: str
    kind: str = ""
    chunk: str = ""
    document: str = ""

    @property
    def key(self) -> str:
        """Its id in the index."""
        return f"{self.what}:{self.id}"


class GraphIndex:
    """The index of one graph. Calls block; from a coroutine, use a thread.

    Every method raises `ServiceError` when Chroma does not answer.
    """

    def __init__(self, client: ClientAPI, graph: Graph, embedder: Embedder) -> None:
        """Open it; it may be empty or out of date, see `update`."""
        self._embedder = embedder
        self._version = graph.version
        name = f"{graph.id}-{hashlib.sha256(embedder.key.encode()).hexdigest()[:8]}{_SUFFIX}"
        with vector_errors(_GONE):
            self._collection = client.get_or_create_collection(
                name, configuration=NEAREST, embedding_function=None
            )

    @property
    def current(self) -> bool:
        """True if the index is whole and of the same version as the graph."""
        return (self._collection.metadata or {}).get("version") == self._version

    def update(self, entries: Sequence[IndexEntry], progress: Progress = lambda done, total: None) -> None:
        """Make it hold these entries and no others. What is there already is not embedded again.

        Raises:
            ModelError: The embedding model fails; what was indexed until then is kept.
        """
        with vector_errors(_GONE):
            indexed = self._there()
            wanted = {entry.key: entry for entry in entries}
            new = [entry for key, entry in wanted.items() if indexed.get(key) != _metadata(entry)]
            stale = [key for key in indexed if key not in wanted]
            for start in range(0, len(stale), _PAGE):
                self._collection.delete(ids=stale[start : start + _PAGE])
            for start in range(0, len(new), BATCH):
                progress(len(wanted) - len(new) + start, len(wanted))
                batch = new[start : start + BATCH]
                vectors = self._embedder.embeddings.embed_documents([embedded_text(entry) for entry in batch])
                self._collection.upsert(
                    ids=[entry.key for entry in batch],
                    embeddings=cast("list[Sequence[float]]", vectors),
                    documents=[entry.name for entry in batch],
                    metadatas=[_metadata(entry) for entry in batch],
                )
            self._collection.modify(metadata={"version": self._version})
        progress(len(wanted), len(wanted))

    def nearest(
        self, vector: Sequence[float], count: int, what: Sequence[What]
    ) -> list[tuple[NodeRecord, float]]:
        """Return the nodes nearest to a vector of the same model, nearest first, with their cosine similarity."""
        with vector_errors(_GONE):
            result = self._collection.query(
                query_embeddings=cast("list[Sequence[float]]", [list(vector)]),
                n_results=count,
                where=cast(Any, {"what": {"$in": list(what)}}),
                include=["metadatas", "distances"],
            )
        metadatas, distances = (result["metadatas"] or [[]])[0], (result["distances"] or [[]])[0]
        return [
            (
                NodeRecord(id=str(row["id"]), name=str(row["name"]), kind=str(row.get("kind", ""))),
                1 - distance,
            )
            for row, distance in zip(metadatas, distances, strict=True)
        ]

    def _there(self) -> dict[str, dict[str, Any]]:
        indexed: dict[str, dict[str, Any]] = {}
        for offset in range(0, self._collection.count(), _PAGE):
            page = self._collection.get(limit=_PAGE, offset=offset, include=["metadatas"])
            indexed |= {
                key: dict(metadata)
                for key, metadata in zip(page["ids"], page["metadatas"] or [], strict=True)
            }
        return indexed


def drop_indexes(client: ClientAPI, graph: str) -> None:
    """Delete the indexes of the graph with this id, of every embedding model.

    Raises:
        ServiceError: Chroma does not answer.
    """
    with vector_errors(_GONE):
        for name in [collection.name for collection in client.list_collections()]:
            if name.startswith(f"{graph}-") and name.endswith(_SUFFIX):
                client.delete_collection(name)


def embedded_text(entry: IndexEntry) -> str:
    """Return an entry as it is embedded: without the signs of a hypernode and the underscores of a relation."""
    if entry.what == "entity":
        return entry.name
    text = entry.name.replace(")-[", " ").replace("]->(", " ").replace("_", " ")
    return " ".join(text.replace("(", " ").replace(")", " ").split())


def _metadata(entry: IndexEntry) -> dict[str, Any]:
    # Chroma has no empty values: what is missing is left out.
    return {key: value for key, value in entry.model_dump().items() if value}
