"""Decomposition in plain LangChain: sub-questions answered by themselves, then put together."""

from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

SPLIT = ChatPromptTemplate.from_template(
    "Write {n} sub-questions of this question that can each be answered alone, one per line.\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on this context:\n\n{context}\n\nQuestion: {question}"
)
SYNTHESISE = ChatPromptTemplate.from_template(
    "Answer the question from these questions and answers.\n\n{pairs}\n\nQuestion: {question}"
)


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever, n: int = 3) -> str:
    """Answer a question from the answers to its parts; the parts do not know each other."""
    split = SPLIT | llm | StrOutputParser()
    lines = split.invoke({"question": question, "n": n}).split("\n")
    sub_questions = [line for line in lines if line.strip()]

    answer = ANSWER | llm | StrOutputParser()
    pairs: list[str] = []
    for sub_question in sub_questions:
        context = "\n\n".join(document.page_content for document in retriever.invoke(sub_question))
        reply = answer.invoke({"context": context, "question": sub_question})
        pairs.append(f"Question: {sub_question}\nAnswer: {reply}")

    chain = SYNTHESISE | llm | StrOutputParser()
    return chain.invoke({"pairs": "\n\n".join(pairs), "question": question})
