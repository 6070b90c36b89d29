"""HyDE in plain LangChain: write a passage that would answer the question, search with it, answer."""

import numpy as np
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import VectorStoreRetriever

PASSAGE = ChatPromptTemplate.from_template("Write {style} that answers the question.\n\nQuestion: {question}")
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages:\n\n{context}\n\nQuestion: {question}"
)
STYLES = {
    "encyclopedia": "one paragraph of an encyclopedia article",
    "scientific": "one paragraph of a scientific paper",
    "news": "one paragraph of a newspaper report",
    "conversation": "one answer in a conversation between people who know the subject well",
}


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and title."""
    texts = (f"{document.metadata['title']}\n{document.page_content}" for document in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: VectorStoreRetriever,
    n: int = 1,
    with_question: bool = True,
    style: str = "encyclopedia",
    context_size: int = 6,
) -> tuple[str, list[Document]]:
    """The answer to a question from what resembles n made-up answers to it, and the passages it was given."""
    write = PASSAGE | llm.bind(temperature=0.7 if n > 1 else 0.0) | StrOutputParser()
    written = write.batch([{"question": question, "style": STYLES[style]}] * n)
    passages = list(dict.fromkeys(text.strip() for text in written))

    store = retriever.vectorstore
    if store.embeddings is None:
        raise ValueError("This vector store does not know with which model its vectors were made.")
    vectors = store.embeddings.embed_documents(passages)
    if with_question:
        vectors = [store.embeddings.embed_query(question), *vectors]
    mean = np.mean([np.array(vector) / np.linalg.norm(vector) for vector in vectors], axis=0)
    found = store.similarity_search_by_vector(mean.tolist(), **retriever.search_kwargs)

    documents = found[:context_size]
    chain = ANSWER | llm | StrOutputParser()  # the made-up passages are not shown to the model
    return chain.invoke({"context": numbered(documents), "question": question}), documents
