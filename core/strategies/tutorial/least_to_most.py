"""Least-to-most in plain LangChain: from easy questions to the hard one, each with all earlier answers."""

from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

REDUCE = ChatPromptTemplate.from_template(
    "Write {n} questions that must be answered first, from easy to hard, one per line.\n\n"
    'Example: before "How old was the composer of Fidelio at its first performance?":\n'
    "Who composed Fidelio?\nWhen was the composer of Fidelio born?\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question from this context and the questions answered before.\n\n"
    "Answered before:\n{pairs}\n\nContext:\n{context}\n\nQuestion: {question}"
)


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever, n: int = 3) -> str:
    """Answer a question after n - 1 easier ones; the last answer is the answer."""
    reduce = REDUCE | llm | StrOutputParser()
    lines = reduce.invoke({"question": question, "n": n - 1}).split("\n")
    questions = [line for line in lines if line.strip()] + [question]

    answer = ANSWER | llm | StrOutputParser()
    pairs: list[str] = []
    reply = ""
    for step in questions:
        context = "\n\n".join(document.page_content for document in retriever.invoke(step))
        reply = answer.invoke({"question": step, "pairs": "\n\n".join(pairs), "context": context})
        pairs.append(f"Question: {step}\nAnswer: {reply}")
    return reply
