"""A retriever that counts the words of a query in a passage."""

from __future__ import annotations

from core.retrieval.corpus import SearchableCorpus
from core.retrieval.kinds import RetrieverPlugin
from core.trace.passages import Passage


def rank(
    corpus: SearchableCorpus, documents: frozenset[str], query: str, count: int
) -> list[tuple[Passage, float]]:
    """The passages that hold most words of the query, best first."""
    words = {word.strip("?.,").casefold() for word in query.split()}
    scored = [
        (passage, float(sum(word in passage.text.casefold() for word in words)))
        for passage in corpus.chunks.passages(documents)
    ]
    return sorted(scored, key=lambda pair: -pair[1])[:count]


RETRIEVER = RetrieverPlugin(title="Most words", score_name="words", rank=rank)
