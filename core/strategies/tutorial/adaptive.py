"""Adaptive RAG in plain LangChain: choose the way, then answer without a search, with one, or with several (IRCoT)."""

import re
from typing import Literal

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel
from sentencex import segment

ROUTE = ChatPromptTemplate.from_template(
    "Which way does this question need: no-search for what everybody knows, one-search where its own words find all "
    "that is needed, several-searches where one thing must be found before the next can be looked for?\n\n"
    "Question: {question}"
)
RECALL = ChatPromptTemplate.from_template("Answer the question from what you know.\n\nQuestion: {question}")
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages:\n\n{context}\n\nQuestion: {question}"
)
THINK = ChatPromptTemplate.from_template(
    "Passages:\n\n{context}\n\nWrite the next sentence of the reasoning that answers the question. "
    "Begin it with [?] if no passage says so. "
    'When you know the answer, write "So the answer is: ...".\n\nQuestion: {question}\n\nSo far:\n{thoughts}'
)
READ = ChatPromptTemplate.from_template(
    "Reason, then answer the question, based only on these passages:\n\n{context}\n\nQuestion: {question}"
)
LANGUAGE = "en"
"""Of the thoughts: sentences end differently elsewhere."""


class Choice(BaseModel):
    """The way of a question."""

    reason: str
    way: Literal["no-search", "one-search", "several-searches"]


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,  # of more than k: what is there already does not count
    k: int = 6,
    new: int = 4,
    max_steps: int = 6,
    paragraphs: int = 20,
) -> tuple[str, list[Document]]:
    """The answer to a question by the way that the model chooses for it, and the passages it was given."""
    router = ROUTE | llm.with_structured_output(Choice, method="json_schema")
    way = Choice.model_validate(router.invoke({"question": question})).way
    if way == "no-search":
        return (RECALL | llm | StrOutputParser()).invoke({"question": question}), []
    if way == "one-search":
        prompt, passages = ANSWER, retriever.invoke(question)[:k]
    else:
        prompt, passages = READ, several_searches(question, llm, retriever, new, max_steps, paragraphs)
    answer = prompt | llm | StrOutputParser()
    return answer.invoke({"context": numbered(passages), "question": question}), passages


def several_searches(
    question: str, llm: BaseChatModel, retriever: BaseRetriever, new: int, max_steps: int, paragraphs: int
) -> list[Document]:
    """The passages that a chain of thoughts finds: each sentence is the next search."""
    think = THINK | llm | StrOutputParser()
    gathered: dict[str, Document] = {}  # a dict keeps the order in which the passages were found
    thoughts: dict[str, str] = {}  # each with the mark of a guess, if it has one
    query = question
    while True:
        fresh = [document for document in retriever.invoke(query) if identity(document) not in gathered][:new]
        gathered |= {identity(document): document for document in fresh[: max(0, paragraphs - len(gathered))]}
        if len(thoughts) == max_steps or len(gathered) >= paragraphs:  # another search would bring in nothing
            break
        so_far = "\n".join(f"- {mark}{thought}" for thought, mark in thoughts.items()) or "(nothing)"
        context = numbered(list(gathered.values()))
        written = think.invoke({"context": context, "question": question, "thoughts": so_far})
        query = first_sentence(written)  # only the first sentence, and that is the next query
        if not query or query in thoughts:
            break
        thoughts[query] = "[?] " if "[?]" in written else ""
        if "answer is" in query.lower():
            break
    return list(gathered.values())


def first_sentence(written: str) -> str:
    """The first sentence of what was written, without citations such as [1] and without the [?] of a guess."""
    text = re.sub(r"\s*\[(?:\d[\d\s,]*|\?)\]", "", written).strip()
    return next((sentence.strip() for sentence in segment(LANGUAGE, text.partition("\n")[0])), "")


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever(k=4 + 20)))
