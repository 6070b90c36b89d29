# The search as a tool that the model may choose.
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, tool


def search_tool(retriever: BaseRetriever) -> BaseTool:
    @tool
    def search_documents(query: str) -> str:
        """Passages of documents that are near to a query in meaning."""
        return "\n\n".join(document.page_content for document in retriever.invoke(query))

    return search_documents
