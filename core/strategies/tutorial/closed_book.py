"""Closed book in plain LangChain: the question, the model, nothing else."""

from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

PROMPT = ChatPromptTemplate.from_template("Answer the question from what you know.\n\nQuestion: {question}")


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever | None = None) -> str:
    """Answer a question; the retriever is not used."""
    chain = PROMPT | llm | StrOutputParser()
    return chain.invoke({"question": question})
