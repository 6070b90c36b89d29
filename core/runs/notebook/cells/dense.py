# The passages nearest to a query, by the cosine of their vectors. A passage is embedded with its document's title.
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever


def dense(passages: list[dict[str, str]], embeddings: Embeddings, k: int) -> VectorStoreRetriever:
    texts = ["\n\n".join(filter(None, (item["indexed_title"], item["text"]))) for item in passages]
    store = InMemoryVectorStore(embeddings)
    for item, vector in zip(passages, embeddings.embed_documents(texts), strict=True):
        store.store[item["chunk"]] = {
            "id": item["chunk"],
            "vector": vector,
            "text": item["text"],
            "metadata": {"title": item["title"]},
        }
    return store.as_retriever(search_kwargs={"k": k})
