# What a search finds, in the order of a second judge.
from collections.abc import Callable

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class Reranked(BaseRetriever):
    inner: BaseRetriever
    order: Callable[[str, list[Document]], list[Document]]
    k: int

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return self.order(query, self.inner.invoke(query))[: self.k]
