"""Self-RAG in plain LangChain: grade the passages, write, grade the answer, and try again where a grade is bad.

Prompted, without the paper's trained weights. One call after the other.
"""

from typing import Literal, NamedTuple, TypeVar

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

GRADE_RELEVANCE = ChatPromptTemplate.from_template(
    "Is this passage relevant to the question? Grade it yes or no.\n\n{passage}\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages:\n\n{context}\n\nQuestion: {question}"
)
ANSWER_AGAIN = ChatPromptTemplate.from_template(
    "Answer the question again, based only on these passages:\n\n{context}\n\nYour draft: {draft}\n\n"
    "What the passages do not support: {unsupported}\n\nQuestion: {question}"
)
GRADE_SUPPORT = ChatPromptTemplate.from_template(
    "Do the passages support this answer? Grade it fully, partially or no.\n\n{context}\n\nAnswer: {answer}"
)
GRADE_USE = ChatPromptTemplate.from_template(
    "How useful is this answer? Grade it from 5 (best) to 1.\n\nAnswer: {answer}\n\nQuestion: {question}"
)
REWRITE_QUESTION = ChatPromptTemplate.from_template(
    "Write a better question to search with.\n\nSearched already:\n{tried}\n\nWhat was wrong: {cause}\n\n"
    "Question: {question}"
)


class IsRel(BaseModel):
    """The grade of a passage."""

    verdict: Literal["yes", "no"]
    reason: str


class IsSup(BaseModel):
    """How far the passages support an answer."""

    verdict: Literal["fully", "partially", "no"]
    reason: str


class IsUse(BaseModel):
    """How useful an answer is for the question that was asked."""

    verdict: Literal[5, 4, 3, 2, 1]
    reason: str


class Rewritten(BaseModel):
    """A question put differently."""

    question: str


class Draft(NamedTuple):
    """An answer with its grades, in the order that makes the best one the largest."""

    supported: bool
    use: int
    support: int
    text: str
    documents: list[Document]


Form = TypeVar("Form", bound=BaseModel)


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and title."""
    texts = (f"{document.metadata['title']}\n{document.page_content}" for document in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    max_rewrites: int = 2,
    max_regenerations: int = 2,
    useful_from: int = 4,
    context_size: int = 6,
) -> tuple[str, list[Document]]:
    """The best answer to a question that the caps allow, and the passages it was given."""

    def graded(prompt: ChatPromptTemplate, form: type[Form], **values: str) -> Form:
        grader = prompt | llm.with_structured_output(form, method="json_schema")
        return form.model_validate(grader.invoke(values))

    def relevant(document: Document) -> bool:
        passage = f"{document.metadata['title']}\n{document.page_content}"
        return graded(GRADE_RELEVANCE, IsRel, passage=passage, question=tried[-1]).verdict == "yes"

    tried, regenerations, drafts = [question], 0, list[Draft]()
    while True:
        found = retriever.invoke(tried[-1])
        documents = [document for document in found if relevant(document)][:context_size]
        cause = f"IsRel: none of the {len(found)} passages found is relevant."
        if documents:
            context = numbered(documents)
            text = (ANSWER | llm | StrOutputParser()).invoke({"context": context, "question": question})
            while True:
                support = graded(GRADE_SUPPORT, IsSup, answer=text, context=context)
                use = graded(GRADE_USE, IsUse, answer=text, question=question)
                grade = ("no", "partially", "fully").index(support.verdict)
                drafts.append(Draft(grade > 0, use.verdict, grade, text, documents))
                if grade > 0 or regenerations == max_regenerations:
                    break
                regenerations += 1
                values = {
                    "draft": text,
                    "unsupported": support.reason,
                    "context": context,
                    "question": question,
                }
                text = (ANSWER_AGAIN | llm | StrOutputParser()).invoke(values)
            if grade == 0 or use.verdict >= useful_from:
                break
            cause = f"IsUse {use.verdict} of 5: the answer is not useful enough. {use.reason}".strip()
        if len(tried) > max_rewrites:
            break
        searched = "\n".join(f"- {query}" for query in tried)
        rewritten = graded(REWRITE_QUESTION, Rewritten, question=question, tried=searched, cause=cause)
        tried.append(rewritten.question.strip() or tried[-1])

    if not drafts:
        after = f", even after {len(tried) - 1} rewrite{'s' * (len(tried) > 2)} of the question" * (
            len(tried) > 1
        )
        return f"No relevant passage was found{after}, so there is no answer.", []
    best = max(reversed(drafts), key=lambda draft: draft[:3])  # of equals the last: it knew what was wrong
    return best.text, best.documents
