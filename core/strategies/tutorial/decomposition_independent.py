"""Decomposition in plain LangChain: sub-questions answered by themselves, then put together."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

SUB_QUESTIONS = ChatPromptTemplate.from_template(
    "Write at most {n} sub-questions of this question that can each be answered alone.\n\nQuestion: {question}"
)
ANSWER_SUB = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages. Begin with [0] if it is not there. Cite them, like [1].\n\n"
    "{context}\n\nQuestion: {question}"
)
SYNTHESISE = ChatPromptTemplate.from_template(
    "Answer the question from these questions and answers. Keep their citations.\n\n{pairs}\n\n"
    "Question: {question}"
)
MARKS = re.compile(r"\s*\[([1-9]\d?(?:\s*,\s*\d\d?)*)\]")
"""Citations, such as [1] or [2, 3]."""


class Variants(BaseModel):
    """The form of the reply that lists questions."""

    queries: list[str]


def ask(
    question: str, llm: BaseChatModel, retriever: BaseRetriever, n: int = 4
) -> tuple[str, list[Document]]:
    """The answer to a question from the answers to its parts, which do not know each other; and all evidence."""
    split = SUB_QUESTIONS | llm.with_structured_output(Variants, method="json_schema")
    reply = Variants.model_validate(split.invoke({"question": question, "n": n}))
    parts = distinct(reply.queries, question)[:n] or [question]

    searched = spelled_out(parts)
    results = retriever.map().invoke(searched)
    values = [
        {"question": query, "context": numbered(documents)}
        for query, documents in zip(searched, results, strict=True)
    ]
    answers = (ANSWER_SUB | llm | StrOutputParser()).batch(values)

    evidence = list({identity(doc): doc for documents in results for doc in documents}.values())
    texts = [renumbered(text, own, evidence) for text, own in zip(answers, results, strict=True)]
    if parts == [question]:
        return texts[0], evidence
    pairs = list(zip(parts, map(in_words, texts), strict=True))
    chain = SYNTHESISE | llm | StrOutputParser()
    return chain.invoke({"pairs": as_text(pairs), "question": question}), evidence


def spelled_out(parts: list[str]) -> list[str]:
    """The parts with the words of an earlier one in the place of “#1”: no answer is there when they are searched."""
    complete: list[str] = []
    for part in parts:
        for number, before in enumerate(complete, 1):
            part = part.replace(f"#{number}", asked_for(before))
        complete.append(part)
    return complete


def asked_for(question: str) -> str:
    """The thing that a question asks for: “the author of Emma” for “Who is the author of Emma?”"""
    text = question.strip().rstrip("?").strip()
    where = re.match(
        r"(in|on|at|from|by|for|to|of|with) (?:which|what) (\w+) (\w+) (.+)$", text, re.IGNORECASE
    )
    if where:
        verb = f" {where[3]}" if where[3] in ("is", "was", "are", "were") else ""
        return f"the {where[2]} {where[1].lower()} which {where[4]}{verb}"
    is_it, who = r"(?:who|what|which)\s+(?:is|was|are|were)\s+", r"who\s+"
    other = r"(?:whose|whom|what|which|when|where|why|how)\s+(?:(?:is|was|are|were|do|does|did)\s+)?"
    for begins, instead in ((is_it, ""), (who, "the one who "), (other, "")):
        if match := re.match(begins, text, re.IGNORECASE):
            return instead + text[match.end() :]
    return text


def in_words(reply: str) -> str:
    """An answer for the model to read: words in the place of its mark, such as the [0] of one that was not found."""
    line = reply.partition("\n")[0]
    marked = {"[0]": "(no answer was found) ", "[?]": "(suggested, not stated) ", "[+]": "(incomplete) "}
    standing = next((words for mark, words in marked.items() if mark in line), "")
    return standing + re.sub(r"\[[0?+]\] ?", "", reply).strip()


def as_text(pairs: list[tuple[str, str]]) -> str:
    """Questions and answers, one pair after the other."""
    return "\n\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in pairs) or "(nothing)"


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
