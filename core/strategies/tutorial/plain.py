"""Plain retrieval in plain LangChain: search, put the passages into the prompt, answer."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on this context:\n\n{context}\n\nQuestion: {question}"
)


def as_text(documents: list[Document]) -> str:
    """The passages, one after the other."""
    return "\n\n".join(document.page_content for document in documents)


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever) -> str:
    """Answer a question from the passages that the retriever finds for it."""
    documents = retriever.invoke(question)
    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": as_text(documents), "question": question})
