"""Least-to-most in plain LangChain: from easy questions to the hard one, each with all earlier answers."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

REDUCE = ChatPromptTemplate.from_template(
    "Write at most {n} questions, from easy to hard, that lead to this question; the last is the question itself.\n\n"
    'Example, for "How old was the composer of Fidelio at its first performance?":\n'
    "Who composed Fidelio?\nWhen was the composer of Fidelio born?\n\nQuestion: {question}"
)
RESOLVE = ChatPromptTemplate.from_template(
    "Put the names from these answers into the question, in the place of words such as he or it.\n\n{pairs}\n\n"
    "Question: {question}"
)
ANSWER_SUB = ChatPromptTemplate.from_template(
    "Answer the question from these passages and the questions answered before.\n\n"
    "Answered before:\n{pairs}\n\nPassages:\n{context}\n\nQuestion: {question}"
)
MARKS = re.compile(r"\s*\[(\d\d?(?:\s*,\s*\d\d?)*)\]")  # citations, such as [1] or [2, 3]


class Variants(BaseModel):
    """What the model is asked for."""

    queries: list[str]


def distinct(texts: list[str], question: str) -> list[str]:
    """The texts without numbering and quotes: each once, and none that is a copy of the question."""
    found: dict[str, str] = {}
    for text in (question, *texts):
        text = re.sub(r"^\s*([-*•]+|\d+[.):])\s+", "", text).strip(" \"'")
        found.setdefault("".join(filter(str.isalnum, text.casefold())), text)
    return [text for text in found.values() if text][1:]


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and title."""
    texts = (f"{document.metadata['title']}\n{document.page_content}" for document in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def renumbered(text: str, own: list[Document], evidence: list[Document]) -> str:
    """An answer whose citations count all the evidence, in place of its own passages alone."""
    places = {document.id: number for number, document in enumerate(evidence, 1)}
    numbers = dict(enumerate((places[document.id] for document in own), 1))

    def mark(found: re.Match[str]) -> str:
        cited = dict.fromkeys(int(number) for number in found[1].split(","))
        return "".join(f" [{numbers[number]}]" for number in cited if number in numbers)

    return MARKS.sub(mark, text)


def as_text(pairs: list[tuple[str, str]]) -> str:
    """Questions and answers, one pair after the other."""
    return (
        "\n\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in pairs)
        or "(nothing yet)"
    )


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    n: int = 3,
    resolve_references: bool = False,
) -> tuple[str, list[Document]]:
    """The answer to a question after at most n - 1 easier ones, and all evidence."""
    reduce = REDUCE | llm.with_structured_output(Variants, method="json_schema")
    easier = Variants.model_validate(reduce.invoke({"question": question, "n": n})).queries

    evidence: dict[str | None, Document] = {}
    known: list[tuple[str, str]] = []  # for the model: without citations, which count other passages
    answers: list[tuple[str, str]] = []
    for part in [*distinct(easier, question)[: n - 1], question]:
        query = part
        if resolve_references and known:
            query = (
                (RESOLVE | llm | StrOutputParser())
                .invoke({"question": part, "pairs": as_text(known)})
                .strip()
            )
        documents = retriever.invoke(query)
        values = {"question": query, "pairs": as_text(known), "context": numbered(documents)}
        reply = (ANSWER_SUB | llm | StrOutputParser()).invoke(values)
        evidence |= {document.id: document for document in documents if document.id not in evidence}
        answers.append((part, renumbered(reply, documents, list(evidence.values()))))
        known.append((part, MARKS.sub("", reply)))

    return answers[-1][1], list(evidence.values())
