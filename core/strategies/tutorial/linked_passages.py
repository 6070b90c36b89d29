"""Linked passages in plain LangChain: search, walk along titles that are mentioned, join with the cosine, answer."""

import re
from collections import defaultdict
from math import log1p, sqrt
from statistics import fmean, pstdev

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever

ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages:\n\n{context}\n\nQuestion: {question}"
)

Links = dict[int, dict[int, float]]
"""Passage -> the passages that it is linked with, each with the weight of the link."""


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,
    passages: list[Document],
    embeddings: Embeddings,
    k: int = 6,
    seeds: int = 5,
    restart: float = 0.35,
    weight: float = 0.5,
) -> tuple[str, list[Document]]:
    """The answer from the passages at which a walk ends that begins at what is found, and these passages."""
    places = {identity(passage): place for place, passage in enumerate(passages)}
    hits = [places[identity(document)] for document in retriever.invoke(question)]
    links = linked(passages)
    order = hits
    if any(place in links for place in hits[:seeds]):
        chances = walk(links, hits[:seeds], restart)
        reached = sorted(chances, key=lambda place: -chances[place])[:30]
        candidates = list(dict.fromkeys([*hits, *reached]))
        question_vector = embeddings.embed_query(question)
        vectors = embeddings.embed_documents([titled(passages[place]) for place in candidates])
        walked = standardised([sqrt(chances.get(place, 0.0)) for place in candidates])
        near = standardised([cosine(question_vector, vector) for vector in vectors])
        scores = {
            place: from_walk + weight * from_cosine
            for place, from_walk, from_cosine in zip(candidates, walked, near, strict=True)
        }
        order = sorted(candidates, key=lambda place: -scores[place])
    documents = [passages[place] for place in order[:k]]
    chain = ANSWER | llm | StrOutputParser()
    return chain.invoke({"context": numbered(documents), "question": question}), documents


def linked(passages: list[Document]) -> Links:
    """Links a passage that mentions a title with every passage of that document, both ways.

    “Petrel (steamer)” is mentioned as Petrel. What a twentieth of the passages mention, and over ten, leads nowhere.
    """
    named: dict[str, set[int]] = defaultdict(set)
    for place, passage in enumerate(passages):
        if title := re.sub(r"\s*\([^()]*\)$", "", passage.metadata.get("title", "")):
            named[title].add(place)
    longest_first = sorted(named, key=len, reverse=True)
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first)) or '$x'})\b")
    mentions = [
        {name for name in names.findall(passage.page_content) if place not in named[name]}
        for place, passage in enumerate(passages)
    ]
    counts = {name: sum(name in mentioned for mentioned in mentions) for name in named}
    links: Links = defaultdict(dict)
    for place, mentioned in enumerate(mentions):
        for name in mentioned:
            if counts[name] > max(10, 0.05 * len(passages)):
                continue
            share = log1p(len(passages) / counts[name]) / log1p(len(passages)) / len(named[name])
            for other in named[name]:
                links[place][other] = links[place].get(other, 0.0) + share
                links[other][place] = links[other].get(place, 0.0) + share
    return links


def walk(links: Links, seeds: list[int], restart: float, steps: int = 10) -> dict[int, float]:
    """Personalised PageRank: for each passage the chance to stop there, beginning at the seeds.

    In each step one stops with the chance `restart`, or else goes on along a link; from where none leads on, to a seed.
    """
    whole = sum(1 / rank for rank in range(1, len(seeds) + 1))
    begin = {place: 1 / rank / whole for rank, place in enumerate(seeds, 1)}
    at, left = dict(begin), 1.0
    chances: dict[int, float] = defaultdict(float)
    for step in range(steps + 1):
        stopping = restart if step < steps else 1.0
        for place, chance in at.items():
            chances[place] += left * stopping * chance
        left *= 1 - stopping
        further: dict[int, float] = defaultdict(float)
        for place, chance in at.items():
            ways = links.get(place) or begin
            for other, share in ways.items():
                further[other] += chance * share / sum(ways.values())
        at = further
    return chances


def standardised(values: list[float]) -> list[float]:
    """The values with mean 0 and standard deviation 1."""
    mean, spread = fmean(values), pstdev(values)
    return [(value - mean) / spread if spread else 0.0 for value in values]


def cosine(first: list[float], second: list[float]) -> float:
    """The cosine of the angle between two vectors."""
    product = sum(a * b for a, b in zip(first, second, strict=True))
    return product / sqrt(sum(a * a for a in first) * sum(b * b for b in second))


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def titled(document: Document) -> str:
    """A passage as it is embedded: with its title."""
    return "\n\n".join(filter(None, (document.metadata.get("title"), document.page_content)))


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number and, where it has one, its title."""
    texts = (f"{doc.metadata.get('title', '')}\n{doc.page_content}".lstrip("\n") for doc in documents)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    retriever = setup.retriever(k=6)
    indexing.show(*ask(setup.question, setup.llm, retriever, setup.passages, setup.embeddings))
