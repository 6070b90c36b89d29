"""The graph of mentions of a corpus: which passages mention which documents, by their titles.

A link joins a passage that mentions a document with every passage of that document, and may be walked both ways; no
model is needed for it. Where a graph was built from the corpus, passages that tell of the same entity are joined, too.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain, repeat
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from core.retrieval.titles import Titles
from core.trace.passages import Passage

EntityQuotes = Mapping[str, Mapping[str, str]]
"""Name of each entity -> ids of the passages that tell of it -> the words there that do."""

LARGEST_SHARE = 0.05
"""Share of the passages from which a name that they have leads nowhere: it is the corpus's own subject."""
ALWAYS = 10
"""Passages that may have a name, however few there are in all."""
WEIGHT = 0.1
"""Of an entity, where a title has 1. Chosen on the 300 questions of 2WikiMultihopQA, with capitalised words in the
place of entities: with more, they drown the titles that lead to the evidence there."""


def rarity(count: int, total: int) -> float:
    """Return the weight of a name that this many of the passages have, from 0 to 1: the fewer, the more, as in BM25."""
    return (
        float(np.log1p(total / count) / np.log1p(total))
        if count <= max(ALWAYS, LARGEST_SHARE * total)
        else 0.0
    )


class Entities:
    """The entities of which passages tell. Passages go by their place.

    Of n passages that tell of one, each is joined with all others, with its weight divided by n. The n² pairs are never
    written down.
    """

    def __init__(self, quotes: EntityQuotes, places: Mapping[str, int]) -> None:
        """Take the entities, and the place of each passage by its id; other passages are left out."""
        total = len(places)
        places_of = {
            name: sorted(places[passage] for passage in words if passage in places)
            for name, words in quotes.items()
        }
        weights = {name: rarity(len(own), total) for name, own in places_of.items() if len(own) > 1}
        self._quotes = [quotes[name] for name, weight in weights.items() if weight]
        self.names = [name for name, weight in weights.items() if weight]
        members = [(place, column) for column, name in enumerate(self.names) for place in places_of[name]]
        rows, columns = np.array(members, dtype=np.int64).reshape(-1, 2).T
        sizes = np.bincount(columns, minlength=len(self.names)).astype(np.float64)
        self._weights = WEIGHT * np.array([weights[name] for name in self.names]) / np.maximum(sizes, 1)
        self._of = csr_array((np.ones(len(rows)), (rows, columns)), shape=(total, len(self.names)))
        self._tell = self._of.T.tocsr()
        self._own = self._of @ self._weights
        self.degree: NDArray[np.float64] = self._of @ (self._weights * (sizes - 1))
        """Sum of the weights of all links of each passage."""

    @property
    def count(self) -> int:
        """Number of pairs of a passage and an entity of which it tells."""
        return int(self._of.nnz)

    def spread(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, for each passage, the sum of what those joined with it send over a link, by the link's weight."""
        with_own = self._of @ (self._weights * (self._tell @ shares))
        sums: NDArray[np.float64] = np.maximum(with_own - self._own * shares, 0)
        return sums

    def shared(self, first: int, second: int) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the entities that join two passages, the rarest first, each with what tells of it."""
        both = set(_columns(self._of, first)) & set(_columns(self._of, second))
        for entity in sorted(both, key=lambda each: (-self._weights[each], each)):
            yield self.names[entity], self._quotes[entity]


def _columns(matrix: Any, row: int) -> list[int]:
    """Return the columns in which a row of a sparse matrix has entries."""
    start, end = matrix.indptr[row : row + 2]
    columns: list[int] = matrix.indices[start:end].tolist()
    return columns


Mass = NDArray[np.float64]
"""One number per passage."""
RARE = 0.75
"""Weight of a name from which on a walk begins at its document where a query has it: in 400 passages, four at most
mention it. Chosen on one half each of HotpotQA, MuSiQue and 60 questions of 2WikiMultihopQA; without it, Pellamar's
towns and islands took the place of what was found."""


class Mention(NamedTuple):
    """The words of a passage that name a document, or tell of an entity."""

    source: int
    """Place of the passage."""
    start: int
    """First character in its text."""
    end: int
    """One past the last."""
    entity: str = ""
    """Entity of which the other passage tells, too; empty: that is a passage of the document."""


class Links:
    """The mentions among some passages, ready to be walked. Passages go by their place in `passages`."""

    def __init__(
        self, passages: Sequence[Passage], titles: Mapping[str, str], quotes: EntityQuotes | None = None
    ) -> None:
        """Read all texts, in one pass.

        Args:
            passages: All of them, those of a document one behind the other.
            titles: Id of each document -> its title; empty where it has none.
            quotes: Entities of a graph that was built from the passages.
        """
        self.passages = passages
        self.places = {passage.chunk: place for place, passage in enumerate(passages)}
        documents = list(dict.fromkeys(passage.document for passage in passages))
        places = {document: place for place, document in enumerate(documents)}
        self._documents = documents
        self._document = np.array([places[passage.document] for passage in passages], dtype=np.int64)
        self._inside: Mass = np.ones(len(passages))
        self._size = np.bincount(self._document, minlength=len(documents)).astype(np.float64)
        texts = (passage.text for passage in passages)
        self._titles = Titles([titles[document] for document in documents], texts)
        rows, columns, weights = self._mentions()
        shape = len(passages), len(documents)
        self._to = csr_array((weights, (rows, columns)), shape=shape)
        self._from = self._to.T.tocsr()
        self.entities = Entities(quotes or {}, self.places)
        self._degree = self._along_titles(np.ones(len(passages))) + self.entities.degree

    def within(self, ids: Collection[str]) -> Self:
        """Return the links without those that lead out of the documents with these ids, as if there were no others.

        How rare a name is stays as it is in all passages.
        """
        inside = np.array([document in ids for document in self._documents], dtype=np.float64)[self._document]
        links = copy(self)
        links._inside = inside
        links._degree = inside * (self._along_titles(inside) + self.entities.spread(inside))
        return links

    def named_first(self, query: str, hits: Sequence[int], seeds: int) -> list[int]:
        """Return the hits of a ranking with what a query names moved up behind the first: each document by its first
        passage, and no more than half of those at which a walk begins.

        Where the first hits are all about one thing, the walk would never begin at another that is named beside it.
        What many passages mention is no place to begin at: it leads everywhere. A document that is among the first
        `seeds` hits, at which the walk begins, is there already.
        """
        begun = {int(self._document[hit]) for hit in hits[:seeds]}
        named = {
            document: hit
            for place in self._titles.places(query)
            if self._weight.get(place.name, 1.0) >= RARE
            for document in self._titles.names[place.name].documents
            if document not in begun and self._inside[hit := int(np.argmax(self._document == document))]
        }
        return list(dict.fromkeys([*hits[:1], *list(named.values())[: seeds // 2], *hits[1:]]))

    @property
    def count(self) -> int:
        """Number of pairs of a passage and a document that it mentions, and of one and an entity."""
        return int(self._to.nnz) + self.entities.count

    def leads_on(self, passage: int) -> bool:
        """Return True if a passage has a link."""
        return bool(self._degree[passage] > 0)

    def step(self, mass: Mass) -> Mass:
        """Return the mass after one step: each passage's is shared out along its links; without links it is lost."""
        shares = np.divide(mass, self._degree, out=np.zeros_like(mass), where=self._degree > 0)
        moved: Mass = self._inside * (self._along_titles(shares) + self.entities.spread(shares))
        return moved

    def shares(self, passage: int) -> Mass:
        """Return, for each passage, the share of its mass that goes to this one in a step."""
        here = np.zeros(len(self.passages))
        here[passage] = 1
        weights = self._inside * (self._along_titles(here) + self.entities.spread(here))
        weights[passage] = 0
        received: Mass = np.divide(weights, self._degree, out=weights, where=weights > 0)
        return received

    def mentions(self, first: int, second: int) -> Iterator[Mention]:
        """Yield the mentions that join two passages: where one mentions the document of the other, the first one's
        mentions first; then where it tells of an entity of which the other tells, too."""
        for source, target in ((first, second), (second, first)):
            for place in self._titles.places(self.passages[source].text):
                documents = self._titles.names[place.name].documents
                if (
                    self._weight.get(place.name)
                    and self._document[target] in documents
                    and self._document[source] not in documents
                ):
                    yield Mention(source, place.start, place.end)
        passage = self.passages[first]
        for entity, words in self.entities.shared(first, second):
            yield Mention(first, *_span(passage.text, words[passage.chunk]), entity)

    def _mentions(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Mass]:
        """Return every passage and document that it mentions, with the weight of the link, from 0 to 1.

        The fewer passages of other documents mention a name, the more it says; one of several documents is shared out.
        """
        documents = [name.documents for name in self._titles.names]
        mentioned = [
            tuple(name for name in self._titles.mentioned(passage.text) if own not in documents[name])
            for passage, own in zip(self.passages, self._document.tolist(), strict=True)
        ]
        counts = Counter(chain.from_iterable(mentioned))
        weight = {name: rarity(count, len(self.passages)) for name, count in counts.items()}
        self._weight = weight
        rows, columns, weights = array("q"), array("q"), array("d")
        for passage, names in enumerate(mentioned):
            links: dict[int, float] = {}
            for name in filter(weight.__getitem__, names):
                share = weight[name] / len(documents[name])
                for document in documents[name]:
                    links[document] = max(share, links.get(document, 0.0))
            rows.extend(repeat(passage, len(links)))
            columns.extend(links)
            weights.extend(links.values())
        return np.array(rows), np.array(columns), np.array(weights)

    def _along_titles(self, shares: Mass) -> Mass:
        """Return, for each passage, the sum of what its neighbours send over a link, by the link's weight."""
        onward = self._from @ shares / self._size
        back = self._to @ (np.bincount(self._document, shares, len(self._size)) / self._size)
        sums: Mass = onward[self._document] + back
        return sums


def _span(text: str, words: str) -> tuple[int, int]:
    """Return the span of words in a text, whatever blanks are between them; its beginning where it lacks them."""
    match = re.search(r"\s+".join(map(re.escape, words.split())), text)
    return match.span() if match else (0, 0)
