"""Decomposition in plain LangChain: sub-questions answered one after the other, each with the answers before it."""

from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

SPLIT = ChatPromptTemplate.from_template(
    "Write {n} sub-questions of this question that can each be answered alone, one per line.\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question from this context and the questions answered before.\n\n"
    "Answered before:\n{pairs}\n\nContext:\n{context}\n\nQuestion: {question}"
)
SYNTHESISE = ChatPromptTemplate.from_template(
    "Answer the question from these questions and answers.\n\n{pairs}\n\nQuestion: {question}"
)


def as_text(pairs: list[tuple[str, str]]) -> str:
    """Questions and answers, one pair after the other."""
    return "\n\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in pairs)


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever, n: int = 3) -> str:
    """Answer a question from the answers to its parts; the tutorial returns the last of them instead."""
    split = SPLIT | llm | StrOutputParser()
    lines = split.invoke({"question": question, "n": n}).split("\n")
    sub_questions = [line for line in lines if line.strip()]

    answer = ANSWER | llm | StrOutputParser()
    pairs: list[tuple[str, str]] = []
    for sub_question in sub_questions:
        context = "\n\n".join(document.page_content for document in retriever.invoke(sub_question))
        known = {"question": sub_question, "pairs": as_text(pairs), "context": context}
        pairs.append((sub_question, answer.invoke(known)))

    chain = SYNTHESISE | llm | StrOutputParser()
    return chain.invoke({"pairs": as_text(pairs), "question": question})
