"""IRCoT in plain LangChain: think one sentence, search with it, think again; then read everything and answer."""

from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

THINK = ChatPromptTemplate.from_template(
    "Passages:\n\n{context}\n\nWrite the next sentence of the reasoning that answers the question. "
    'When you know the answer, write "So the answer is: ...".\n\nQuestion: {question}\n\nSo far: {thoughts}'
)
READ = ChatPromptTemplate.from_template(
    "Reason, then answer the question, based only on this context:\n\n{context}\n\nQuestion: {question}"
)


def ask(
    question: str, llm: BaseChatModel, retriever: BaseRetriever, max_steps: int = 6, most: int = 15
) -> str:
    """Answer a question from all that its chain of thoughts finds."""
    think = THINK | llm | StrOutputParser()
    texts: dict[str, None] = {}  # a dict keeps the order in which the passages were found
    thoughts: list[str] = []
    query = question
    while True:
        for document in retriever.invoke(query):
            if len(texts) < most:
                texts.setdefault(document.page_content)
        written = think.invoke(
            {"context": "\n\n".join(texts), "question": question, "thoughts": " ".join(thoughts)}
        )
        query = written.strip().split(". ")[0]  # only the first sentence, and that is the next query
        if not query or query in thoughts:
            break
        thoughts.append(query)
        if "answer is" in query or len(thoughts) == max_steps:
            break

    read = READ | llm | StrOutputParser()
    return read.invoke({"context": "\n\n".join(texts), "question": question})
