"""IRCoT in plain LangChain: think one sentence, search with it, think again; then read everything and answer."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from sentencex import segment

THINK = ChatPromptTemplate.from_template(
    "Passages:\n\n{context}\n\nWrite the next sentence of the reasoning that answers the question. "
    'When you know the answer, write "So the answer is: ...".\n\nQuestion: {question}\n\nSo far:\n{thoughts}'
)
READ = ChatPromptTemplate.from_template(
    "Reason, then answer the question, based only on these passages:\n\n{context}\n\nQuestion: {question}"
)


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and title."""
    texts = (f"{document.metadata['title']}\n{document.page_content}" for document in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def first_sentence(written: str) -> str:
    """The first sentence of what was written, without citations such as [1]."""
    text = re.sub(r"\s*\[\d[\d\s,]*\]", "", written).strip()
    return next((sentence.strip() for sentence in segment("en", text.partition("\n")[0])), "")


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    max_steps: int = 6,
    paragraphs: int = 15,
    reader: str = "from scratch",
) -> tuple[str, list[Document]]:
    """The answer to a question from all that its chain of thoughts finds, and these passages."""
    think = THINK | llm | StrOutputParser()
    found: dict[str | None, Document] = {}  # a dict keeps the order in which the passages were found
    thoughts: list[str] = []
    query = question
    while True:
        for document in retriever.invoke(query):
            if len(found) < paragraphs:
                found.setdefault(document.id, document)
        so_far = "\n".join(f"- {thought}" for thought in thoughts) or "(none)"
        context = numbered(list(found.values()))
        written = think.invoke({"context": context, "question": question, "thoughts": so_far})
        query = first_sentence(written)  # only the first sentence, and that is the next query
        if not query or query in thoughts:
            break
        thoughts.append(query)
        if "answer is" in query.lower() or len(thoughts) == max_steps:
            break

    if reader == "last thought" and thoughts:  # careless: whatever went wrong on the way
        return thoughts[-1], list(found.values())
    read = READ | llm | StrOutputParser()
    return read.invoke({"context": numbered(list(found.values())), "question": question}), list(
        found.values()
    )
