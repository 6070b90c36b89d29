"""Least-to-most in plain LangChain: from easy questions to the hard one, each with all earlier answers."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

REDUCE = ChatPromptTemplate.from_template(
    "Write at most {n} questions, from easy to hard, that lead to this question; the last is the question itself. #1 "
    "stands for the answer to the first of them, where another needs it.\n\n"
    "Example, for “Where was the composer of Fidelio born?”:\n"
    "Who composed Fidelio?\nWhere was #1 born?\nWhere was the composer of Fidelio born?\n\nQuestion: {question}"
)
RESOLVE = ChatPromptTemplate.from_template(
    "Put the names from these answers into the question, in the place of words such as he or it.\n\n{pairs}\n\n"
    "Question: {question}"
)
ANSWER_SUB = ChatPromptTemplate.from_template(
    "Answer the question from these passages and the questions answered before: the answer itself on the first line, "
    "[0] before it if it is not there. Cite passages, like [1].\n\n"
    "Answered before:\n{pairs}\n\nPassages:\n{context}\n\nQuestion: {question}"
)
MARKS = re.compile(r"\s*\[([1-9]\d?(?:\s*,\s*\d\d?)*)\]")
"""Citations, such as [1] or [2, 3]."""
POINTS = re.compile(r"#\d|\b(?:he|she|it|they|him|her|them|his|its|their)\b", re.IGNORECASE)
"""What points at an earlier answer."""


class Variants(BaseModel):
    """The form of the reply that lists questions."""

    queries: list[str]


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    n: int = 5,
    resolve_references: bool = True,
) -> tuple[str, list[Document]]:
    """The answer to a question after at most n - 1 easier ones, and all evidence."""
    reduce = REDUCE | llm.with_structured_output(Variants, method="json_schema")
    resolve = RESOLVE | llm | StrOutputParser()
    answer = ANSWER_SUB | llm | StrOutputParser()
    easier = Variants.model_validate(reduce.invoke({"question": question, "n": n})).queries

    evidence: dict[str, Document] = {}  # keeps the order in which the passages were found
    known: list[tuple[str, str]] = []  # for the model: without citations, which count other passages
    shorts: list[str] = []  # what “#1”, “#2” stand for
    answers: list[tuple[str, str]] = []
    cited: list[Document] = []
    for part in [*distinct(easier, question)[: n - 1], question]:
        sub_question = query = part if part == question else filled(part, shorts)
        pairs = as_text(known)
        if resolve_references and known and (part == question or POINTS.search(sub_question)):
            query = resolve.invoke({"question": sub_question, "pairs": pairs}).strip()
        documents = retriever.invoke(query)
        if part == question:  # what the answers so far rest on can be cited as well
            documents = list({identity(document): document for document in [*documents, *cited]}.values())
        reply = answer.invoke({"question": sub_question, "pairs": pairs, "context": numbered(documents)})
        shorts.append(short(reply))
        numbers = {int(number) for mark in MARKS.findall(reply) for number in re.findall(r"\d+", mark)}
        cited += [document for number, document in enumerate(documents, 1) if number in numbers]
        known.append((part, MARKS.sub("", in_words(reply))))
        for document in documents:
            evidence.setdefault(identity(document), document)
        answers.append((part, renumbered(reply, documents, list(evidence.values()))))

    return answers[-1][1], list(evidence.values())  # the last question is the question itself


def filled(question: str, shorts: list[str]) -> str:
    """The question with earlier answers in the place of “#1”, “#2”; where none was found, the mark stays."""
    for number, text in enumerate(shorts, 1):
        question = question.replace(f"#{number}", text or f"#{number}")
    return question


def short(reply: str) -> str:
    """The answer itself: the first line; nothing where [0] says that none was found."""
    line = reply.strip().partition("\n")[0]
    return "" if "[0]" in line else MARKS.sub("", re.sub(r"\[[?+]\]", "", line)).strip().rstrip(".")


def in_words(reply: str) -> str:
    """An answer for the model to read: words in the place of its mark, such as the [0] of one that was not found."""
    line = reply.partition("\n")[0]
    marked = {"[0]": "(no answer was found) ", "[?]": "(suggested, not stated) ", "[+]": "(incomplete) "}
    standing = next((words for mark, words in marked.items() if mark in line), "")
    return standing + re.sub(r"\[[0?+]\] ?", "", reply).strip()


def as_text(pairs: list[tuple[str, str]]) -> str:
    """Questions and answers, one pair after the other."""
    texts = (f"Question: {question}\nAnswer: {answer}" for question, answer in pairs)
    return "\n\n".join(texts) or "(nothing yet)"


def distinct(texts: list[str], question: str) -> list[str]:
    """The texts without numbering and quotes around them: each once, and none that is a copy of the question."""
    unique: dict[str, str] = {}
    for text in (question, *texts):
        text = re.sub(r"^\s*([-*•]+|\d+[.):])\s+", "", text).strip()
        text = re.sub(r"^[\"'“]([^\"'“”]*)[\"'”]$", r"\1", text).strip()
        unique.setdefault("".join(filter(str.isalnum, text.casefold())), text)
    return [text for text in unique.values() if text][1:]


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def renumbered(text: str, own: list[Document], evidence: list[Document]) -> str:
    """An answer with citations that count all the evidence: the model counted the passages of one search."""
    places = {identity(document): number for number, document in enumerate(evidence, 1)}
    numbers = dict(enumerate((places[identity(document)] for document in own), 1))

    def mark(match: re.Match[str]) -> str:
        cited = dict.fromkeys(int(number) for number in match[1].split(","))
        return "".join(f" [{numbers[number]}]" for number in cited if number in numbers)

    return MARKS.sub(mark, text)


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever()))
