# What is searched with and what is found is noted, to be compared with the run at the end.
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

searched: list[tuple[str, list[str | None]]] = []


class Noted(BaseRetriever):
    inner: BaseRetriever

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        documents = self.inner.invoke(query)
        searched.append((query, [document.id for document in documents]))
        return documents
