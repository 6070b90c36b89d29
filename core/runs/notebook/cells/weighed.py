# Both rankings of a query, by the weighted sum of their scores, each scaled from 1 (best) to 0 (last of its list).
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class Weighed(BaseRetriever):
    retrievers: list[BaseRetriever]
    weights: list[float]
    k: int

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        documents: dict[str | None, Document] = {}
        sums: dict[str | None, float] = {}
        for retriever, weight in zip(self.retrievers, self.weights, strict=True):
            results = retriever.invoke(query)
            scores = [document.metadata["score"] for document in results]
            for document, score in zip(results, scores, strict=True):
                span = scores[0] - scores[-1]
                scaled = (score - scores[-1]) / span if span > 0 else 1.0
                documents.setdefault(document.id, document)
                sums[document.id] = sums.get(document.id, 0.0) + weight * scaled
        best = sorted(sums, key=lambda key: -sums[key])
        return [documents[key] for key in best[: self.k]]
