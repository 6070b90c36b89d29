"""What passages have in common by a graph that was built from them: the entities of which it quotes them.

So HippoRAG 2 joins passages (B. J. Gutiérrez et al.: From RAG to Memory. 2025, arXiv 2502.14802): by the phrase nodes
of a graph that a model has extracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Told = Mapping[str, Mapping[str, str]]
"""Name of each entity -> ids of the passages that tell of it -> the words there that do."""

LARGEST_SHARE = 0.05
"""Share of the passages from which a name that they have leads nowhere: it is the corpus's own subject."""
ALWAYS = 10
"""Passages that may have a name, however few there are in all."""
WEIGHT = 0.1
"""Of an entity, where a title has 1. Chosen on the 300 questions of 2WikiMultihopQA, with capitalised words in the
place of entities: with more, they drown the titles that lead to the evidence there."""


def rarity(count: int, total: int) -> float:
    """How much a name says that this many of the passages have, from 0 to 1: the more, the fewer, as in BM25."""
    return (
        float(np.log1p(total / count) / np.log1p(total))
        if count <= max(ALWAYS, LARGEST_SHARE * total)
        else 0.0
    )


class Entities:
    """Which passages tell of the same entities. Passages go by their place.

    Of n passages that tell of one, each is joined with all others, with its weight divided by n. The n² pairs are never
    written down.
    """

    def __init__(self, told: Told, places: Mapping[str, int]) -> None:
        """
        Args:
            told: The entities; passages that are not there any more are left out.
            places: Id of each passage -> its place.
        """
        total = len(places)
        found = {name: sorted(places[one] for one in words if one in places) for name, words in told.items()}
        weights = {name: rarity(len(there), total) for name, there in found.items() if len(there) > 1}
        self._told = [told[name] for name, weight in weights.items() if weight]
        self.names = [name for name, weight in weights.items() if weight]
        members = [(place, column) for column, name in enumerate(self.names) for place in found[name]]
        rows, columns = np.array(members, dtype=np.int64).reshape(-1, 2).T
        sizes = np.bincount(columns, minlength=len(self.names)).astype(np.float64)
        self._weights = WEIGHT * np.array([weights[name] for name in self.names]) / np.maximum(sizes, 1)
        self._of = csr_array((np.ones(len(rows)), (rows, columns)), shape=(total, len(self.names)))
        self._tell = self._of.T.tocsr()
        self._own = self._of @ self._weights
        self.degree: NDArray[np.float64] = self._of @ (self._weights * (sizes - 1))
        """Of each passage the weights of all its links."""

    @property
    def count(self) -> int:
        """How many pairs of a passage and an entity of which it tells there are."""
        return int(self._of.nnz)

    def spread(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each passage the sum of what those joined with it send over a link, by the link's weight."""
        with_own = self._of @ (self._weights * (self._tell @ shares))
        found: NDArray[np.float64] = np.maximum(with_own - self._own * shares, 0)
        return found

    def shared(self, one: int, other: int) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The entities that join two passages, the rarest first, each with what tells of it."""
        both = set(_columns(self._of, one)) & set(_columns(self._of, other))
        for entity in sorted(both, key=lambda each: (-self._weights[each], each)):
            yield self.names[entity], self._told[entity]


def _columns(matrix: Any, row: int) -> list[int]:
    """Where a row of a sparse matrix has entries."""
    start, end = matrix.indptr[row : row + 2]
    found: list[int] = matrix.indices[start:end].tolist()
    return found
