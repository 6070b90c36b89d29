"""The interface of models that embed texts, and arithmetic on their vectors, with one vector per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class Embeddings(Protocol):
    """A model that embeds texts: LangChain's interface, without the quarter of a second that importing it takes."""

    dimensions: int = 0
    """Length of its vectors; 0: not known yet."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text."""

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """One vector per text; a question that needs them never waits behind an ingestion."""
        return self.embed_documents(texts)


def normalise(vectors: ArrayLike) -> NDArray[np.floating[Any]]:
    """The vectors at length 1; a vector of zeros stays as it is."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths))


def cosine_matrix(left: ArrayLike, right: ArrayLike) -> NDArray[np.floating[Any]]:
    """Cosine of every row of `left` (n × d) with every row of `right` (m × d): n × m, from -1 to 1."""
    return (normalise(left) @ normalise(right).T).clip(-1, 1)


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values with mean 0 and standard deviation 1; zeros where all are the same."""
    import numpy as np

    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)
