"""Self-RAG in plain LangChain: grade the passages, write, grade the answer, and try again where a grade is bad.

Prompted, without the paper's trained weights. One call after the other.
"""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

VERDICT = {
    "title": "Verdict",
    "description": "What every grader replies.",
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
RELEVANT = ChatPromptTemplate.from_template(
    "Is this passage relevant to the question? Reply yes or no.\n\n{passage}\n\nQuestion: {question}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on this context:\n\n{context}\n\nQuestion: {question}"
)
SUPPORTED = ChatPromptTemplate.from_template(
    "Is this answer supported by the facts? Reply yes or no.\n\nFacts:\n{context}\n\nAnswer: {answer}"
)
USEFUL = ChatPromptTemplate.from_template(
    "Does this answer resolve the question? Reply yes or no.\n\nAnswer: {answer}\n\nQuestion: {question}"
)
REWRITE = ChatPromptTemplate.from_template(
    "Look at the intent behind this question and write a better one to search with.\n\nQuestion: {question}"
)


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    max_rewrites: int = 2,
    max_regenerations: int = 2,
) -> str:
    """Answer a question; where the caps are reached, with the last answer there is."""
    grader = llm.with_structured_output(VERDICT, method="json_schema")

    def yes(prompt: ChatPromptTemplate, **values: str) -> bool:
        reply = dict((prompt | grader).invoke(values))
        return bool(reply["verdict"] == "yes")

    def relevant(document: Document) -> bool:
        return yes(RELEVANT, passage=document.page_content, question=search)

    search, answer = question, "No relevant passage was found."
    for rewrites in range(max_rewrites + 1):
        documents = [document for document in retriever.invoke(search) if relevant(document)]
        if documents:
            context = "\n\n".join(document.page_content for document in documents)
            for _ in range(max_regenerations + 1):
                answer = (ANSWER | llm | StrOutputParser()).invoke({"context": context, "question": question})
                if yes(SUPPORTED, context=context, answer=answer):
                    break
            if yes(USEFUL, answer=answer, question=question):
                break
        if rewrites < max_rewrites:
            search = (REWRITE | llm | StrOutputParser()).invoke({"question": search})
    return answer
