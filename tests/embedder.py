"""A tiny embedding model for tests: the real tokenizer, and vectors that count words."""

from __future__ import annotations

from collections import Counter

from core.models.embedding_vectors import Embeddings
from core.models.embeddings import Embedder

DIMENSIONS = 256


class WordCounts(Embeddings):
    """Counts the words of a text in a fixed number of bins; the same text always has the same vector."""

    def __init__(self) -> None:
        self.embedded: list[str] = []
        """Every text that was embedded as a document."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.embedded.extend(texts)
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        words = Counter(word.strip(".,?!") for word in text.lower().split())
        vector = [0.001] * DIMENSIONS
        for word, count in words.items():
            vector[int.from_bytes(word.encode()) % 251] += count
        return vector


def word_counts(key: str = "words-1", max_tokens: int = 240) -> Embedder:
    """An embedder over `WordCounts`."""
    return Embedder(key, f"Word counts ({key})", WordCounts(), max_tokens, builtin=True)
