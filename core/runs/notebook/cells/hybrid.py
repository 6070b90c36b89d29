# Both rankings of a query, fused by their ranks.
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class Hybrid(BaseRetriever):
    retrievers: list[BaseRetriever]
    k: int

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        documents: dict[str | None, Document] = {}
        ranks: dict[str | None, list[int]] = {}
        for retriever in self.retrievers:
            for rank, document in enumerate(retriever.invoke(query), 1):
                documents.setdefault(document.id, document)
                ranks.setdefault(document.id, []).append(rank)
        scores = {key: sum(1 / (60 + rank) for rank in sorted(places)) for key, places in ranks.items()}
        best = sorted(scores, key=lambda key: (-scores[key], min(ranks[key])))
        return [documents[key] for key in best[: self.k]]
