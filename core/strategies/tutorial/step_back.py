"""Step-back in plain LangChain: a more general question, a search for each of the two, one answer."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

STEP_BACK = ChatPromptTemplate.from_messages(
    [
        (
            "human",
            "Write a more general question, easier to answer: Which team did Dino Zoff play for in 1970?",
        ),
        ("ai", '{{"question": "Which teams did Dino Zoff play for during his career?"}}'),
        ("human", "What happens to the pressure of a gas if its volume is halved?"),
        (
            "ai",
            '{{"question": "How do the pressure, volume and temperature of a gas depend on each other?"}}',
        ),
        ("human", "{question}"),
    ]
)
ANSWER_STEP_BACK = ChatPromptTemplate.from_template(
    "Answer the question. Do not contradict these passages where they are relevant; ignore them where they "
    "are not.\n\n{context}\n\nBackground ({general}):\n\n{general_context}\n\nQuestion: {question}"
)


class General(BaseModel):
    """What the model is asked for."""

    question: str


def numbered(documents: list[Document], first: int = 1) -> str:
    """The passages one after the other, each with its number and title."""
    texts = (f"{document.metadata['title']}\n{document.page_content}" for document in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, first))


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    include_original: bool = True,
    context_size: int = 8,
) -> tuple[str, list[Document]]:
    """The answer to a question from what it and the more general question find, and the passages it was given."""
    step_back = STEP_BACK | llm.with_structured_output(General, method="json_schema")
    general = General.model_validate(step_back.invoke({"question": question})).question.strip() or question

    specific = retriever.invoke(question) if include_original else []
    behind = retriever.invoke(general) if general != question or not include_original else []
    both = {document.id for document in specific} & {document.id for document in behind}
    documents = [*specific, *(document for document in behind if document.id not in both)][:context_size]
    specific = documents[: len(specific)]
    shared = [f"passage {number}" for number, document in enumerate(specific, 1) if document.id in both]

    background = [numbered(documents[len(specific) :], len(specific) + 1)]
    if shared:
        background.append(f"Found for it as well: {', '.join(shared)}.")
    chain = ANSWER_STEP_BACK | llm | StrOutputParser()
    answer = chain.invoke(
        {
            "question": question,
            "context": numbered(specific) or "(none)",
            "general": general,
            "general_context": "\n\n".join(filter(None, background)) or "(none)",
        }
    )
    return answer, documents
