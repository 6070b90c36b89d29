"""Plain retrieval in plain LangChain: search, put the passages into the prompt, answer."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages:\n\n{context}\n\nQuestion: {question}"
)


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever) -> tuple[str, list[Document]]:
    """The answer to a question, and the passages it was given."""
    documents = retriever.invoke(question)
    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": numbered(documents), "question": question}), documents


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever()))
