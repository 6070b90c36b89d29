"""Step-back in plain LangChain: a more general question, a search for each of the two, one answer."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, FewShotChatMessagePromptTemplate
from langchain_core.retrievers import BaseRetriever

EXAMPLES = FewShotChatMessagePromptTemplate(
    example_prompt=ChatPromptTemplate.from_messages([("human", "{question}"), ("ai", "{general}")]),
    examples=[
        {
            "question": "Which team did Dino Zoff play for in 1970?",
            "general": "Which teams did Dino Zoff play for during his career?",
        },
        {
            "question": "What happens to the pressure of a gas if its volume is halved?",
            "general": "How do the pressure, volume and temperature of a gas depend on each other?",
        },
    ],
)
STEP_BACK = ChatPromptTemplate.from_messages(
    [("system", "Write a more general question, easier to answer."), EXAMPLES, ("human", "{question}")]
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question. Do not contradict these contexts where they are relevant; ignore them where they "
    "are not.\n\n{normal}\n\n{background}\n\nQuestion: {question}"
)


def as_text(documents: list[Document]) -> str:
    """The passages, one after the other."""
    return "\n\n".join(document.page_content for document in documents)


def ask(question: str, llm: BaseChatModel, retriever: BaseRetriever) -> str:
    """Answer a question from what it finds and from what the more general question behind it finds."""
    step_back = STEP_BACK | llm | StrOutputParser()
    general = step_back.invoke({"question": question})

    normal, background = retriever.map().invoke([question, general])

    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"question": question, "normal": as_text(normal), "background": as_text(background)})
