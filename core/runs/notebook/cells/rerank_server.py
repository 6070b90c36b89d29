# The judge is a reranker: set RERANK_BASE_URL and, where it needs them, RERANK_API_KEY and RERANK_MODEL.
import os

import httpx
from langchain_core.documents import Document


def by_server(query: str, documents: list[Document]) -> list[Document]:
    texts = ["\n\n".join(filter(None, (one.metadata.get("title"), one.page_content))) for one in documents]
    url = os.environ["RERANK_BASE_URL"].rstrip("/").removesuffix("/rerank") + "/rerank"
    key, model = os.environ.get("RERANK_API_KEY"), os.environ.get("RERANK_MODEL")
    reply = httpx.post(
        url,
        json={
            "query": query,
            "documents": texts,
            "top_n": len(texts),
            **({"model": model} if model else {}),
        },
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=60,
    ).raise_for_status()
    rows = reply.json()["results"]
    return [
        documents[row["index"]]
        for row in sorted(rows, key=lambda row: (-row["relevance_score"], row["index"]))
    ]
