"""HyDE in plain LangChain: write a passage that would answer the question, search with it, answer."""

import re

import numpy as np
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import VectorStoreRetriever

PASSAGE = ChatPromptTemplate.from_template(
    "Write {style} that answers the question; if it is about several things, a paragraph for each.\n\n"
    "Question: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages:\n\n{context}\n\nQuestion: {question}"
)
STYLES = {
    "encyclopedia": "one paragraph of an encyclopedia article",
    "scientific": "one paragraph of a scientific paper",
    "claim": "one paragraph of a scientific paper that supports or refutes a claim",
    "news": "one paragraph of a newspaper report",
    "report": "one paragraph of a company's annual report",
    "conversation": "one answer in a conversation between people who know the subject well",
}


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: VectorStoreRetriever,
    n: int = 1,
    with_question: bool = True,
    style: str = "encyclopedia",
) -> tuple[str, list[Document]]:
    """The answer to a question from what resembles n made-up answers to it, and the passages it was given."""
    write = PASSAGE | llm.bind(temperature=0.7 if n > 1 else 0.0) | StrOutputParser()
    written = write.batch([{"question": question, "style": STYLES[style]}] * n)
    searches = [list(dict.fromkeys(text.strip() for text in written))]
    if n == 1:  # its paragraphs are about several things, and their mean would be near to none of these
        searches = [[text] for text in paragraphs(written[0])] or [[question]]

    store = retriever.vectorstore
    if store.embeddings is None:
        raise ValueError("This vector store does not know with which model its vectors were made.")
    results = []
    for texts in searches:
        vectors = store.embeddings.embed_documents(texts)
        if with_question:
            vectors = [store.embeddings.embed_query(question), *vectors]
        mean = np.mean([np.array(vector) / np.linalg.norm(vector) for vector in vectors], axis=0)
        results.append(store.similarity_search_by_vector(mean.tolist(), **retriever.search_kwargs))

    documents = unique_union(results)[: max(map(len, results))]
    chain = ANSWER | llm | StrOutputParser()  # the made-up passages are not shown to the model
    return chain.invoke({"context": numbered(documents), "question": question}), documents


def paragraphs(text: str) -> list[str]:
    """The parts between empty lines: at most four paragraphs."""
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()][:4]


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
    """The id of a passage, or its text where the store gives none."""
    return document.id or document.page_content


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever()))
