"""HyDE in plain LangChain: write a passage that would answer the question, search with it, answer."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

PASSAGE = ChatPromptTemplate.from_template(
    "Write a passage of an encyclopedia that answers the question.\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on this context:\n\n{context}\n\nQuestion: {question}"
)


def as_text(documents: list[Document]) -> str:
    """The passages, one after the other."""
    return "\n\n".join(document.page_content for document in documents)


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever) -> str:
    """Answer a question from what resembles a made-up answer to it. The made-up one is not shown to the model."""
    write_passage = PASSAGE | llm | StrOutputParser()
    passage = write_passage.invoke({"question": question})

    documents = retriever.invoke(passage)

    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": as_text(documents), "question": question})
