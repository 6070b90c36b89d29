"""Step-back in plain LangChain: a more general question, a search for each of the two, one answer."""

from operator import itemgetter
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
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
NOTHING = RunnableLambda[Any, list[Document]](lambda _: [])
"""A search that finds nothing."""


class General(BaseModel):
    """The form of the reply with a more general question."""

    question: str


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    include_original: bool = True,
    context_size: int = 8,
) -> tuple[str, list[Document]]:
    """The answer to a question from what it and the more general question find, and the passages it was given."""
    step_back = STEP_BACK | llm.with_structured_output(General, method="json_schema") | stepped(question)
    # Both branches at once: the search with the question does not wait for the more general one.
    branches = RunnableParallel(
        specific=itemgetter("question") | (retriever if include_original else NOTHING),
        general=step_back | RunnableParallel(question=RunnablePassthrough(), documents=retriever),
    )
    results = branches.invoke({"question": question})
    specific, behind = results["specific"], results["general"]["documents"]

    both = set(map(identity, specific)) & set(map(identity, behind))
    new = [document for document in behind if identity(document) not in both]
    documents = [*specific, *new][:context_size]
    specific, new = documents[: len(specific)], documents[len(specific) :]
    shared = [f"passage {place}" for place, doc in enumerate(specific, 1) if identity(doc) in both]
    background = [numbered(new, len(specific) + 1) if new else "(nothing that does not stand above)"]
    if shared:
        background.append(f"Found for it as well: {', '.join(shared)}.")

    answer = (ANSWER_STEP_BACK | llm | StrOutputParser()).invoke(
        {
            "question": question,
            "context": numbered(specific) or "(none)",
            "general": results["general"]["question"],
            "general_context": "\n".join(background),
        }
    )
    return answer, documents


def stepped(question: str) -> RunnableLambda[Any, str]:
    """The more general question in a reply; the question itself where there is none."""
    return RunnableLambda(lambda reply: General.model_validate(reply).question.strip() or question)


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def numbered(documents: list[Document], first: int = 1) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, first))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever()))
