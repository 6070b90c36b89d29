"""RAG-Fusion in plain LangChain: several queries, one ranking each, fused by reciprocal ranks."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

SEARCH_QUERIES = ChatPromptTemplate.from_template(
    "Write {n} search queries related to this question.\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages:\n\n{context}\n\nQuestion: {question}"
)


class Variants(BaseModel):
    """The form of the reply that lists questions."""

    queries: list[str]


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    n: int = 4,
    include_original: bool = True,
    rrf_k: int = 60,
    first_rank: int = 1,
    context_size: int = 6,
) -> tuple[str, list[Document]]:
    """The answer to a question from the best of what n related queries find, and the passages it was given."""
    lists = llm.with_structured_output(Variants, method="json_schema")
    lists = lists.bind(temperature=0.7)  # so that they differ
    reply = Variants.model_validate((SEARCH_QUERIES | lists).invoke({"question": question, "n": n}))
    queries = distinct(reply.queries, question)[:n]
    if include_original or not queries:
        queries = [question, *queries]

    fused = reciprocal_rank_fusion(retriever.map().invoke(queries), rrf_k, first_rank)
    documents = [document for document, _ in fused[:context_size]]

    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": numbered(documents), "question": question}), documents


def reciprocal_rank_fusion(
    results: list[list[Document]], k: int = 60, first_rank: int = 1
) -> list[tuple[Document, float]]:
    """Documents with their fused score, best first; of equals the one with the best single rank."""
    documents: dict[str, Document] = {}
    ranks: dict[str, list[int]] = {}
    for ranking in results:
        for rank, document in enumerate(ranking, first_rank):
            documents.setdefault(identity(document), document)
            ranks.setdefault(identity(document), []).append(rank)
    scores = {key: sum(1 / (k + rank) for rank in sorted(places)) for key, places in ranks.items()}
    order = sorted(scores, key=lambda key: (-scores[key], min(ranks[key])))
    return [(documents[key], scores[key]) for key in order]


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def distinct(texts: list[str], question: str) -> list[str]:
    """The texts without numbering and quotes around them: each once, and none that is a copy of the question."""
    unique: dict[str, str] = {}
    for text in (question, *texts):
        text = re.sub(r"^\s*([-*•]+|\d+[.):])\s+", "", text).strip()
        text = re.sub(r"^[\"'“]([^\"'“”]*)[\"'”]$", r"\1", text).strip()
        unique.setdefault("".join(filter(str.isalnum, text.casefold())), text)
    return [text for text in unique.values() if text][1:]


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever()))
