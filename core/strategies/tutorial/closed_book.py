"""Closed book in plain LangChain: the question, the model, nothing else."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

RECALL = ChatPromptTemplate.from_template("Answer the question from what you know.\n\nQuestion: {question}")


def ask(
    question: str, llm: BaseChatModel, retriever: BaseRetriever | None = None
) -> tuple[str, list[Document]]:
    """The answer to a question; the retriever is not used, and there are no passages."""
    chain = RECALL | llm | StrOutputParser()
    return chain.invoke({"question": question}), []


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm))
