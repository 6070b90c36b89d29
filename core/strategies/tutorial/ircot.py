"""IRCoT in plain LangChain: think one sentence, search with it, think again; then read everything and answer."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from sentencex import segment

THINK = ChatPromptTemplate.from_template(
    "Passages:\n\n{context}\n\nWrite the next sentence of the reasoning that answers the question. "
    "Begin it with [?] if no passage says so. "
    'When you know the answer, write "So the answer is: ...".\n\nQuestion: {question}\n\nSo far:\n{thoughts}'
)
READ = ChatPromptTemplate.from_template(
    "Reason, then answer the question, based only on these passages:\n\n{context}\n\nQuestion: {question}"
)
LANGUAGE = "en"
"""Of the thoughts: sentences end differently elsewhere."""


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,  # of more than k: what is there already does not count
    k: int = 4,
    max_steps: int = 6,
    paragraphs: int = 20,
    reader: str = "from scratch",
) -> tuple[str, list[Document]]:
    """The answer to a question from all that its chain of thoughts finds, and these passages."""
    think = THINK | llm | StrOutputParser()
    gathered: dict[str, Document] = {}  # a dict keeps the order in which the passages were found
    thoughts: dict[str, str] = {}  # each with the mark of a guess, if it has one
    query = question
    while True:
        new = [document for document in retriever.invoke(query) if identity(document) not in gathered][:k]
        gathered |= {identity(document): document for document in new[: max(0, paragraphs - len(gathered))]}
        full = len(gathered) >= paragraphs  # then another search would bring in nothing
        if len(thoughts) == max_steps or (full and reader == "from scratch"):
            break
        so_far = "\n".join(f"- {mark}{thought}" for thought, mark in thoughts.items()) or "(nothing)"
        context = numbered(list(gathered.values()))
        written = think.invoke({"context": context, "question": question, "thoughts": so_far})
        query = first_sentence(written)  # only the first sentence, and that is the next query
        if not query or query in thoughts:
            break
        thoughts[query] = "[?] " if "[?]" in written else ""
        if "answer is" in query.lower() or full:
            break

    passages = list(gathered.values())
    if reader == "last thought" and thoughts:  # careless: whatever went wrong on the way
        return list(thoughts)[-1], passages
    read = READ | llm | StrOutputParser()  # it does not see the thoughts, since some are guesses
    return read.invoke({"context": numbered(passages), "question": question}), passages


def first_sentence(written: str) -> str:
    """The first sentence of what was written, without citations such as [1] and without the [?] of a guess."""
    text = re.sub(r"\s*\[(?:\d[\d\s,]*|\?)\]", "", written).strip()
    return next((sentence.strip() for sentence in segment(LANGUAGE, text.partition("\n")[0])), "")


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever(k=4 + 20)))
