# The passages nearest to a query, by the cosine of their vectors. A passage is embedded with its document's title.
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever


class Dense(VectorStoreRetriever):
    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        results = self.vectorstore.similarity_search_with_score(query, **self.search_kwargs)
        return [
            document.model_copy(update={"metadata": document.metadata | {"score": float(score)}})
            for document, score in results
        ]


def dense(passages: list[dict[str, str]], embeddings: Embeddings, k: int) -> Dense:
    texts = [
        "\n\n".join(filter(None, (item["indexed_title"], item.get("context"), item["text"])))
        for item in passages
    ]
    store = InMemoryVectorStore(embeddings)
    for item, vector in zip(passages, embeddings.embed_documents(texts), strict=True):
        store.store[item["chunk"]] = {
            "id": item["chunk"],
            "vector": vector,
            "text": item["text"],
            "metadata": {"title": item["title"]},
        }
    return Dense(vectorstore=store, search_kwargs={"k": k})
