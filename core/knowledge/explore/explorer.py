"""A graph as strategies explore it: its store, its search index, its names and the vectors of its relations."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from core.knowledge.explore.chain_scoring import EmbeddingCache, kind_words
from core.knowledge.explore.graph_index import GraphIndex, IndexEntry, Progress, What
from core.knowledge.explore.mentions import Mention, Names
from core.knowledge.records import NodeRecord
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.triples import PARTS, STATEMENT
from core.models.embeddings import Embedder

if TYPE_CHECKING:
    from chromadb.api import ClientAPI


@dataclass(eq=False)
class Explorer:
    """A graph ready to be explored; it may serve several runs at once. See `open_explorer`."""

    graph: Graph
    store: GraphStore
    index: GraphIndex
    nodes: list[NodeRecord]
    """All nodes, hypernodes included."""
    relations: list[str]
    """Names of its relations, the most frequent first."""
    meanings: EmbeddingCache
    lost: Sequence[tuple[str, str]] = ()
    """Names that went with merges, each with the id of the entity that it stands for now."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of the documents that it cites, by their ids, as far as they are known."""

    @cached_property
    def statements(self) -> bool:
        """True if the graph has hypernodes."""
        return any(node.kind == STATEMENT for node in self.nodes)

    @cached_property
    def names(self) -> Names:
        """The names of its entities, those included that were lost in merges."""
        entities = {node.id: node for node in self.nodes if node.kind != STATEMENT}
        lost = [(name, entities[ident]) for name, ident in self.lost if ident in entities]
        return Names(entities.values(), lost)

    @cached_property
    def by_id(self) -> dict[str, NodeRecord]:
        """All nodes by their id, entities before hypernodes, in the order of their names."""
        order = sorted(self.nodes, key=lambda node: (node.kind == STATEMENT, node.name.casefold()))
        return {node.id: node for node in order}

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Words that name kinds of its nodes."""
        return kind_words({node.kind for node in self.nodes} - {STATEMENT, ""}, self.relations)

    @cached_property
    def _plain_words(self) -> frozenset[str]:
        words = {word for name in self.relations for word in name.lower().replace("_", " ").split()}
        return self.kinds | words | {f"{word}s" for word in words}

    def mentioned(self, text: str) -> list[Mention]:
        """Return the entities that a text names word for word, best first."""
        return self.names.mentioned(text, self._plain_words)

    def recorded_in(self, embedder: Embedder) -> Explorer:
        """Return the graph with the vectors that a recording holds, which this embedder gives."""
        explorer = copy(self)  # with what has been made of the graph already
        explorer.meanings = EmbeddingCache(embedder)
        return explorer

    async def nearest(self, text: str, count: int, hypernodes: bool) -> list[tuple[NodeRecord, float]]:
        """Return the nodes nearest in meaning to a text, with their cosine similarity.

        Raises:
            ModelError, ServiceError: Embedding or Chroma fails.
        """
        vector = [float(value) for value in (await self.meanings.vectors([text]))[0]]
        what: list[What] = ["entity", "hypernode"] if hypernodes else ["entity"]
        return await asyncio.to_thread(self.index.nearest, vector, count, what)


def open_explorer(
    client: ClientAPI,
    graph: Graph,
    store: GraphStore,
    embedder: Embedder,
    progress: Progress = lambda done, total: None,
    lost: Sequence[tuple[str, str]] = (),
    titles: Mapping[str, str] | None = None,
) -> Explorer:
    """Open a graph, and make its search index if that is missing or out of date. Blocks.

    `progress` is told how far the index is; for `lost` and `titles` see `Explorer`.

    Raises:
        ModelError, ServiceError, StoreError: Embedding, Chroma or the graph server fails.
    """
    records = list(store.nodes())
    relations = [name for name in store.relation_names() if name not in PARTS]
    index = GraphIndex(client, graph, embedder)
    if not index.current:
        entries = [
            IndexEntry(
                what="hypernode" if node.kind == STATEMENT and not store.native else "entity",
                id=node.id,
                name=node.name,
                kind=node.kind,
                chunk=chunk,
                document=document,
            )
            for node, chunk, document in records
        ]
        entries += [IndexEntry(what="relation", id=name, name=name) for name in relations]
        index.update(entries, progress)
    nodes = [node for node, _, _ in records]
    return Explorer(graph, store, index, nodes, relations, EmbeddingCache(embedder), lost, titles or {})
