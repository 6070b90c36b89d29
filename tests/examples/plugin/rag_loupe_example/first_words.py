"""A retriever that counts how many words of a query stand among the first hundred of a chunk."""

from core.retrieval.corpus import SearchableCorpus
from core.retrieval.kinds import RetrieverPlugin
from core.retrieval.tokens import tokens
from core.trace.passages import Passage


def rank(
    corpus: SearchableCorpus, documents: frozenset[str], query: str, count: int
) -> list[tuple[Passage, float]]:
    """The chunks with the most of them, of equal ones the first."""
    wanted = set(tokens(query))
    passages = corpus.chunks.passages(documents)
    scored = [(passage, float(len(wanted.intersection(tokens(passage.text)[:100])))) for passage in passages]
    return sorted((pair for pair in scored if pair[1]), key=lambda pair: -pair[1])[:count]


RETRIEVER = RetrieverPlugin("First words", "words of the query", rank)
