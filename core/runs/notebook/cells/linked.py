# A walk from the first hits of both rankings along mentions of titles, by the very code of the app.
from collections.abc import Sequence
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStoreRetriever

from core.retrieval.joined import Numbers, walk_from
from core.retrieval.links import Links
from core.retrieval.titles import known_as
from core.retrieval.walking import Walking
from core.trace.passages import Passage


def links_of(items: list[dict[str, str]], told: dict[str, list[str]] | None = None) -> Links:
    passages: list[Passage] = []
    titles: dict[str, str] = {}
    for item in items:
        document, _, position = item["chunk"].rpartition("-")
        titles[document] = known_as(item["indexed_title"], item["title"])
        named = {"chunk": item["chunk"], "document": document, "title": item["title"], "text": item["text"]}
        passages.append(Passage(**named, position=int(position), start=0, end=len(item["text"])))
    entities = {name: dict.fromkeys(chunks, "") for name, chunks in (told or {}).items()}
    return Links(sorted(passages, key=lambda one: (one.document, one.position)), titles, entities)


class Linked(BaseRetriever):
    hybrid: BaseRetriever
    nearest: VectorStoreRetriever
    links: Any
    k: int

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        store: Any = self.nearest.vectorstore
        asked = np.array(store.embedding.embed_query(query))

        def cosines(places: Sequence[int]) -> Numbers:
            vectors = np.array([store.store[self.links.passages[place].chunk]["vector"] for place in places])
            return np.asarray(vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked))

        found = self.hybrid.invoke(query)
        hits = [self.links.places[str(document.id)] for document in found]
        begin = self.links.named_first(query, hits, Walking().seeds)
        walk = walk_from(self.links, begin, cosines, Walking())
        if isinstance(walk, str):  # why there is none
            return found[: self.k]
        best = walk.order[: self.k]
        documents = store.get_by_ids([self.links.passages[one.place].chunk for one in best])
        return [
            document.model_copy(update={"metadata": document.metadata | {"score": one.score}})
            for document, one in zip(documents, best, strict=True)
        ]
