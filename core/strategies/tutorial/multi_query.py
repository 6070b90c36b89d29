"""Multi-Query in plain LangChain: reword the question, search with each wording, pool the results."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

REWORD = ChatPromptTemplate.from_template(
    "Write {n} versions of this question in other words.\n\nQuestion: {question}"
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
    n: int = 5,
    include_original: bool = True,
    context_size: int = 12,
) -> tuple[str, list[Document]]:
    """The answer to a question from what n rewordings of it find, and the passages it was given."""
    lists = llm.with_structured_output(Variants, method="json_schema")
    lists = lists.bind(temperature=0.7)  # so that they differ
    reply = Variants.model_validate((REWORD | lists).invoke({"question": question, "n": n}))
    queries = distinct(reply.queries, question)[:n]
    if include_original or not queries:
        queries = [question, *queries]

    documents = unique_union(retriever.map().invoke(queries))[:context_size]

    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": numbered(documents), "question": question}), documents


def unique_union(results: list[list[Document]]) -> list[Document]:
    """Every document once: best rank first, then first seen."""
    best: dict[str, tuple[int, Document]] = {}
    for documents in results:
        for rank, document in enumerate(documents):
            key = identity(document)
            if key not in best or rank < best[key][0]:
                best[key] = (rank, document)
    return [document for _, document in sorted(best.values(), key=lambda hit: hit[0])]


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
