"""The graph of mentions of a corpus: which passages mention which documents, by their titles.

A link joins a passage that mentions a document with every passage of that document, and may be walked both ways. So
HippoRAG 2 joins passages by what both are about (B. J. Gutiérrez et al.: From RAG to Memory. 2025, arXiv 2502.14802);
here nothing but titles is needed, and no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from core.retrieval.titles import Titles
from core.trace.passages import Passage

Mass = NDArray[np.float64]
"""One number per passage."""

LARGEST_SHARE = 0.05
"""Share of the passages from which a name that they mention leads nowhere: it is the corpus's own subject."""
ALWAYS = 10
"""Passages that may mention a name, however few there are in all."""


class Mention(NamedTuple):
    """The words of a passage that name a document."""

    source: int
    """Place of the passage."""
    start: int
    """First character in its text."""
    end: int
    """One past the last."""


class Links:
    """The mentions among some passages, ready to be walked. Passages go by their place in `passages`."""

    def __init__(self, passages: Sequence[Passage], titles: Mapping[str, str]) -> None:
        """One pass over all texts.

        Args:
            passages: All of them, those of a document one behind the other.
            titles: Id of each document -> its title; empty where it has none.
        """
        self.passages = passages
        self.places = {passage.chunk: place for place, passage in enumerate(passages)}
        documents = list(dict.fromkeys(passage.document for passage in passages))
        places = {document: place for place, document in enumerate(documents)}
        self._document = np.array([places[passage.document] for passage in passages], dtype=np.int64)
        self._size = np.bincount(self._document, minlength=len(documents)).astype(np.float64)
        self._first = np.concatenate(([0], np.cumsum(self._size))).astype(np.int64)
        self._titles = Titles([titles[document] for document in documents])
        rows, columns, weights = self._mentions()
        shape = len(passages), len(documents)
        self._to = csr_array((weights, (rows, columns)), shape=shape)
        self._from = self._to.T.tocsr()
        self._degree = self._spread(np.ones(len(passages)))

    @property
    def count(self) -> int:
        """How many pairs of a passage and a document that it mentions there are."""
        return int(self._to.nnz)

    def leads_on(self, passage: int) -> bool:
        """Whether a passage has a link."""
        return bool(self._degree[passage] > 0)

    def step(self, mass: Mass) -> Mass:
        """Where mass is after one step: each passage's is shared out along its links; without links it is lost."""
        return self._spread(np.divide(mass, self._degree, out=np.zeros_like(mass), where=self._degree > 0))

    def neighbours(self, passage: int) -> Iterator[tuple[int, float]]:
        """The passages with a link to this one, each with the share of its mass that goes there in a step."""
        document = self._document[passage]
        shares: Counter[int] = Counter()
        for other, weight in _row(self._from, document):
            shares[other] += weight / self._size[document]
        for mentioned, weight in _row(self._to, passage):
            for other in range(self._first[mentioned], self._first[mentioned + 1]):
                shares[other] += weight / self._size[mentioned]
        for other, share in shares.items():
            yield other, share / self._degree[other]

    def mentions(self, one: int, other: int) -> Iterator[Mention]:
        """Where one of two passages mentions the document of the other: the first one's mentions first."""
        for source, target in ((one, other), (other, one)):
            for place in self._titles.places(self.passages[source].text):
                if self._document[target] in self._titles.names[place.name].documents:
                    yield Mention(source, place.start, place.end)

    def _mentions(self) -> tuple[list[int], list[int], list[float]]:
        """Every passage and document that it mentions, with the weight of the link, from 0 to 1.

        The fewer passages of other documents mention a name, the more it says, as in BM25; a name of several documents
        is shared out.
        """
        found = [
            {
                name
                for name in self._titles.mentioned(passage.text)
                if own not in self._titles.names[name].documents
            }
            for passage, own in zip(self.passages, self._document.tolist(), strict=True)
        ]
        counts = Counter(name for names in found for name in names)
        total = len(self.passages)
        limit = max(ALWAYS, LARGEST_SHARE * total)
        weight = {
            name: float(np.log1p(total / count) / np.log1p(total))
            for name, count in counts.items()
            if count <= limit
        }
        links: dict[tuple[int, int], float] = {}
        for passage, names in enumerate(found):
            for name in names & weight.keys():
                named = self._titles.names[name].documents
                for document in named:
                    share = weight[name] / len(named)
                    links[passage, document] = max(share, links.get((passage, document), 0.0))
        rows = [passage for passage, _ in links]
        return rows, [document for _, document in links], list(links.values())

    def _spread(self, shares: Mass) -> Mass:
        """For each passage the sum of what its neighbours send over a link, by the link's weight."""
        onward = self._from @ shares / self._size
        back = self._to @ (np.bincount(self._document, shares, len(self._size)) / self._size)
        found: Mass = onward[self._document] + back
        return found


def _row(matrix: Any, row: int) -> Iterator[tuple[int, float]]:
    """The entries of a row of a sparse matrix."""
    start, end = matrix.indptr[row : row + 2]
    return zip(matrix.indices[start:end].tolist(), matrix.data[start:end].tolist(), strict=True)
