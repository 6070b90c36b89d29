"""RAG-Fusion in plain LangChain: several queries, one ranking each, fused by reciprocal ranks."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

QUERIES = ChatPromptTemplate.from_template(
    "Write {n} search queries related to this question, one per line.\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on this context:\n\n{context}\n\nQuestion: {question}"
)


def reciprocal_rank_fusion(results: list[list[Document]], k: int = 60) -> list[tuple[Document, float]]:
    """Documents with their fused score, best first. Ranks count from 0 here; Cormack et al. count from 1."""
    scores: dict[str, float] = {}
    documents: dict[str, Document] = {}
    for ranking in results:
        for rank, document in enumerate(ranking):
            key = document.page_content
            documents.setdefault(key, document)
            scores[key] = scores.get(key, 0.0) + 1 / (k + rank)
    return [(documents[key], scores[key]) for key in sorted(scores, key=scores.__getitem__, reverse=True)]


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever, n: int = 4, top: int = 6) -> str:
    """Answer a question from the best of what n related queries find."""
    write_queries = QUERIES | llm | StrOutputParser()
    lines = write_queries.invoke({"question": question, "n": n}).split("\n")
    queries = [line for line in lines if line.strip()]

    fused = reciprocal_rank_fusion(retriever.map().invoke(queries))

    context = "\n\n".join(document.page_content for document, _ in fused[:top])
    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": context, "question": question})
