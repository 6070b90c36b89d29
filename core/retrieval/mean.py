"""The mean of several texts as one query, as HyDE searches.

L. Gao, X. Ma, J. Lin, J. Callan: Precise Zero-Shot Dense Retrieval without Relevance Labels. ACL 2023, arXiv
2212.10496, equation 8: the vectors of the question and of the hypothetical passages are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.models.vectors import normalise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def mean_vector(vectors: ArrayLike) -> list[float]:
    """The mean of some vectors, at length 1; each counts the same, however long it is.

    Args:
        vectors: One a row, at least one. Where they cancel out, the mean stays all zeros.
    """
    mean: list[float] = normalise(normalise(vectors).mean(axis=0)).tolist()
    return mean


def mean_of(passages: int, with_question: bool) -> str:
    """In words, what a query's vector is the mean of."""
    if passages == 0:
        return "the question"
    what = "the passage" if passages == 1 else f"the {passages} passages"
    if with_question:
        return f"the mean of the question and {what}"
    return what if passages == 1 else f"the mean of {what}"


def words_of(question: str, passages: Sequence[str]) -> str:
    """What keyword retrieval searches with: BM25 adds up over words, so the texts are put together."""
    return "\n".join(passages) or question
