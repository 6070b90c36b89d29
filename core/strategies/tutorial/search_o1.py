"""Reasoning with search in plain LangChain: think, search for what is missing, read it into the reasoning, think on."""

import re

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel

REASON = ChatPromptTemplate.from_template(
    "Answer the question by reasoning. Search for what is missing; answer with the numbers of passages like [1], and "
    "from what was found alone.\n\nThe reasoning so far:\n{reasoning}\n\n{left}\n\nQuestion: {question}"
)
READ_INTO_CHAIN = ChatPromptTemplate.from_template(
    "Write down what these passages hold for the search and the question, with their numbers like [1]; begin with [0] "
    "if that is nothing.\n\n{context}\n\nQuestion: {question}\n\nThe reasoning so far:\n{reasoning}\n\nSearch: {query}"
)
READ = ChatPromptTemplate.from_template(
    "Reason, then answer the question, based only on these passages:\n\n{context}\n\nQuestion: {question}"
)

LEFT = "Searches left: {}. Write the next piece of the reasoning: a thought, and then either searches or the answer."
NONE_LEFT = (
    "No search is left. Write the last piece of the reasoning: a thought, and the answer from what was found."
)
AGAIN = "Not searched again: what it found stands above."
NO_MORE = "Not searched: no search was left."


class Piece(BaseModel):
    """A piece of the reasoning."""

    thought: str = ""
    searches: list[str] = []
    answer: str = ""


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    k: int = 4,
    max_searches: int = 5,
    read: bool = True,
    context_size: int = 15,
) -> tuple[str, list[Document]]:
    """The answer that a chain of reasoning comes to, and all passages that its searches brought in."""
    think = REASON | llm.with_structured_output(Piece, method="json_schema")
    digest = READ_INTO_CHAIN | llm | StrOutputParser()
    gathered: dict[str, Document] = {}  # a dict keeps the order in which the passages were found
    searched: set[str] = set()
    chain: list[str] = []
    idle = False
    while True:
        full = len(gathered) >= context_size
        left = 0 if full else max_searches - len(searched)
        piece = Piece.model_validate(think.invoke(values(question, chain, left)))
        chain.append(f"Thought: {in_a_line(piece.thought)}")
        searches = [] if full else checked(piece.searches, searched, max_searches)
        before = [*chain, *(line for query, why in searches for line in in_lines(query, why))]
        for query, why in searches:
            chain += in_lines(query, why)
            if why:
                continue
            documents = retriever.invoke(query)[:k]
            fresh = [document for document in documents if identity(document) not in gathered]
            fresh = fresh[: max(0, context_size - len(gathered))]
            gathered |= {identity(document): document for document in fresh}
            documents = [document for document in documents if identity(document) in gathered]
            places = [list(gathered).index(identity(document)) + 1 for document in documents]
            if read:  # only what helps goes into the reasoning, and not the passages
                slots = values(question, before, 0) | {"query": query, "context": numbered(documents)}
                chain.append(in_the_chain(digest.invoke(slots), places))
            else:
                chain.append(f"Found: {' '.join(f'[{place}]' for place in places) or '(nothing)'}")
                chain += [numbered([doc], list(gathered).index(identity(doc)) + 1) for doc in fresh]
        if not all(why for _, why in searches):
            continue  # what is not found yet answers nothing, even if an answer was written too
        if piece.answer:
            return piece.answer, list(gathered.values())
        if not left or idle:
            break
        idle = True
        chain.append("Nothing new was searched. Search for something else, or answer.")
    passages = list(gathered.values())
    reader = READ | llm | StrOutputParser()  # the chain came to nothing: once more from all passages
    return reader.invoke({"context": numbered(passages), "question": question}), passages


def checked(queries: list[str], searched: set[str], most: int) -> list[tuple[str, str]]:
    """Queries, each with the reason why it is not searched with; those without one are added to `searched`."""
    checks: list[tuple[str, str]] = []
    for query in queries:
        why = AGAIN if letters(query) in searched else NO_MORE if len(searched) == most else ""
        checks.append((query, why))
        if not why:
            searched.add(letters(query))
    return checks


def in_lines(query: str, why: str) -> list[str]:
    """A search in the reasoning, and why it is not made, if it is not."""
    return [f"Search: {query}", why] if why else [f"Search: {query}"]


def values(question: str, chain: list[str], left: int) -> dict[str, str]:
    """The values of a prompt about the reasoning so far."""
    rest = LEFT.format(left) if left else NONE_LEFT
    return {"question": question, "reasoning": "\n".join(chain) or "(nothing)", "left": rest}


def in_the_chain(written: str, places: list[int]) -> str:
    """The digest of a search, its marks counting all passages found and not those of its own search."""

    def mark(match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match[1])]
        return "".join(f" [{places[number - 1]}]" for number in numbers if 0 < number <= len(places))

    text = re.sub(r"\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]", mark, in_a_line(written.replace("[0]", "")))
    return f"Found nothing that helps. {text}" if "[0]" in written else f"Found: {text}"


def letters(query: str) -> str:
    """The letters and digits of a query without case: equal queries share them."""
    return "".join(char for char in query.casefold() if char.isalnum())


def in_a_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


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
