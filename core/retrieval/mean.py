"""The mean of several texts as one query, as HyDE searches.

L. Gao, X. Ma, J. Lin, J. Callan: Precise Zero-Shot Dense Retrieval without Relevance Labels. ACL 2023, arXiv
2212.10496, equation 8: the vectors of the question and of the hypothetical passages are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.models.embedding_vectors import normalise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def mean_vector(vectors: ArrayLike) -> list[float]:
    """The mean of vectors, scaled to length 1; every vector has the same weight, whatever its length.

    Args:
        vectors: At least one vector. Where they cancel out, the mean is all zeros.
    """
    mean: list[float] = normalise(normalise(vectors).mean(axis=0)).tolist()
    return mean


def mean_of(passages: int, with_question: bool) -> str:
    """A description of the texts whose mean is the query vector."""
    if passages == 0:
        return "the question"
    what = "the passage" if passages == 1 else f"the {passages} passages"
    if with_question:
        return f"the mean of the question and {what}"
    return what if passages == 1 else f"the mean of {what}"


def words_of(question: str, passages: Sequence[str]) -> str:
    """The text that keyword retrieval searches with. BM25 sums over words, so the texts are joined."""
    return "\n".join(passages) or question
