# The passages that share words with a query, by BM25.
from collections.abc import Callable
from typing import Any

import bm25s
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class Keyword(BaseRetriever):
    passages: list[dict[str, str]]
    terms: Callable[[str], list[str]]
    k: int
    index: Any = None

    def model_post_init(self, context: Any) -> None:
        self.index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        parts = ((item["indexed_title"], item.get("context"), item["text"]) for item in self.passages)
        texts = ["\n\n".join(filter(None, some)) for some in parts]
        self.index.index([self.terms(text) for text in texts], show_progress=False)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        if not self.terms(query):
            return []
        scores = self.index.get_scores(self.terms(query))
        best = [(i, self.passages[i]) for i in (-scores).argsort(kind="stable")[: self.k]]
        return [
            Document(
                id=item["chunk"],
                page_content=item["text"],
                metadata={"title": item["title"], "score": float(scores[i])},
            )
            for i, item in best
            if scores[i] > 0
        ]
