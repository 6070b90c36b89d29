"""Corrective RAG in plain LangChain: judge what was found, refine it, and look elsewhere where it does not do."""

from typing import Literal

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel
from sentencex import segment

EVALUATE_PASSAGE = ChatPromptTemplate.from_template(
    "Does this passage hold the answer to the question: yes, partly or no? And which of its numbered sentences are "
    "needed for it?\n\n{passage}\n\nQuestion: {question}\nSearched with: {searched}"
)
REWRITE_QUESTION = ChatPromptTemplate.from_template(
    "Write a better question to search with.\n\nSearched already:\n{tried}\n\nFound so far:\n{found}\n\n{draft}\n\n"
    "What was wrong: {cause}\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages. Begin with [0] if it is not there.\n\n{context}\n\n"
    "Question: {question}"
)
RECALL = ChatPromptTemplate.from_template("Answer the question from what you know.\n\nQuestion: {question}")
NOTHING = "No passage that was found holds the answer, and there was nothing else where it was looked for."


class Evaluation(BaseModel):
    """The evaluator's verdict on a passage."""

    reason: str
    verdict: Literal["yes", "partly", "no"]
    sentences: list[int]


class Rewritten(BaseModel):
    """A question in other words."""

    question: str


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    elsewhere: BaseRetriever | None = None,
    k: int = 6,
    rewrite: bool = True,
) -> tuple[str, list[Document]]:
    """The answer to a question, and the passages it was given.

    Where the search is not correct, `elsewhere` is searched; without it, the model is asked what it knows.
    """
    evaluator = EVALUATE_PASSAGE | llm.with_structured_output(Evaluation, method="json_schema")

    def judged(documents: list[Document], searched: str) -> list[Evaluation]:
        return [
            Evaluation.model_validate(
                evaluator.invoke(
                    {"passage": as_lines(doc, strips(doc)), "question": question, "searched": searched}
                )
            )
            for doc in documents
        ]

    passages = retriever.invoke(question)[:k]
    grades = judged(passages, "(the question itself)")
    verdicts = {grade.verdict for grade in grades}
    verdict = "correct" if "yes" in verdicts else "ambiguous" if "partly" in verdicts else "incorrect"
    documents, memory = [], ""

    if verdict != "incorrect":
        documents = refine(passages, grades)
    if verdict != "correct" and elsewhere:
        query = question
        if rewrite:
            better = REWRITE_QUESTION | llm.with_structured_output(Rewritten, method="json_schema")
            partly = [
                (doc, grade) for doc, grade in zip(passages, grades, strict=True) if grade.verdict == "partly"
            ]
            cause = f"a search that found {'only a part' if partly else 'nothing'} of the answer."
            values = {
                "question": question,
                "tried": listed([question]),
                "found": listed(
                    [f"{doc.metadata.get('title', '')}: {grade.reason}" for doc, grade in partly]
                ),
                "draft": "\n".join(doc.page_content for doc in documents) or "(nothing)",
                "cause": cause,
            }
            query = Rewritten.model_validate(better.invoke(values)).question.strip() or question
        known = set(map(identity, passages))  # refused, or given already
        new = [doc for doc in elsewhere.invoke(query) if identity(doc) not in known][:k]
        documents += refine(new, judged(new, query if query != question else "(the question itself)"))
    elif verdict != "correct":
        memory = (RECALL | llm | StrOutputParser()).invoke({"question": question})

    if not documents:
        return memory or NOTHING, []
    values = {"context": numbered(documents), "question": question}
    answer = (ANSWER | llm | StrOutputParser()).invoke(values)
    if memory and answer.startswith("[0]") and not memory.startswith("[0]"):
        return memory, documents  # said to be so: nothing was looked up for it
    return answer, documents


def strips(document: Document) -> list[str]:
    """The sentences of a passage."""
    parts = (part for line in document.page_content.splitlines() for part in segment("en", line))
    return [part.strip() for part in parts if part.strip()] or [document.page_content]


def needed(document: Document, numbers: list[int]) -> list[str]:
    """The sentences of a passage that have these numbers, counted from 1."""
    return [strip for number, strip in enumerate(strips(document), 1) if number in numbers]


def refine(documents: list[Document], grades: list[Evaluation]) -> list[Document]:
    """The passages that hold something, cut down to it."""
    pairs = zip(documents, grades, strict=True)
    return [refined(doc, grade.sentences) for doc, grade in pairs if grade.verdict != "no"]


def refined(document: Document, numbers: list[int]) -> Document:
    """A passage with these of its sentences; the whole of it where they are none or all."""
    strips_needed = needed(document, numbers)
    if not strips_needed or len(strips_needed) == len(strips(document)):
        return document
    return Document("\n".join(strips_needed), id=document.id, metadata=document.metadata)


def as_lines(document: Document, sentences: list[str]) -> str:
    """The title of a passage, and its sentences with their numbers."""
    lines = [f"{number}: {sentence}" for number, sentence in enumerate(sentences, 1)]
    return "\n".join([document.metadata.get("title", ""), *lines])


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def listed(texts: list[str]) -> str:
    """The texts one a line, each once."""
    return "\n".join(f"- {text}" for text in dict.fromkeys(texts)) or "(nothing)"


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever(k=6)))
