"""Multi-Query in plain LangChain: reword the question, search with each wording, pool the results."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

REWORD = ChatPromptTemplate.from_template(
    "Write {n} versions of this question in other words, one per line.\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on this context:\n\n{context}\n\nQuestion: {question}"
)


def unique_union(results: list[list[Document]]) -> list[Document]:
    """Every document once, in the order in which it was first seen."""
    seen: dict[str, Document] = {}
    for documents in results:
        for document in documents:
            seen.setdefault(document.page_content, document)
    return list(seen.values())


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever, n: int = 5) -> str:
    """Answer a question from everything that n rewordings of it find."""
    reword = REWORD | llm | StrOutputParser()
    lines = reword.invoke({"question": question, "n": n}).split("\n")
    queries = [line for line in lines if line.strip()]

    documents = unique_union(retriever.map().invoke(queries))

    context = "\n\n".join(document.page_content for document in documents)
    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": context, "question": question})
