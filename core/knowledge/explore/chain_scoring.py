"""How well a chain of relations fits a question, by embeddings alone; no model is asked.

A chain in words is near to the question; the question's words are covered by its relations; its relations are
used by the question; and it is no longer than needed. The weights were found on half of the MetaQA questions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.knowledge.explore.chains import chain_text
from core.knowledge.records import Hop
from core.models.embedding_vectors import KeptVectors, normalise
from core.models.embeddings import Embedder

COVERAGE, USED, PER_HOP = 2.0, 0.5, 0.08
MOST_VECTORS = 6000
"""Short texts whose vectors stay in memory: about 20 MB with the built-in model."""
MASK = "X"
"""Stands for the start in the question, so that its name is not compared with relations."""
SCORE_NAME = "fit of the chain"

_STOP = """the a an of is are was were what which who whom whose in on to by with and that their this these those also
do does did can you give be been for it its as at has have had he she they them his her from or x"""
STOP = frozenset(_STOP.split())
"""Words of a question that name no relation."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")

Vectors = NDArray[np.floating[Any]]
_THREADS = ThreadPoolExecutor(4, thread_name_prefix="rag-loupe-chains")


class EmbeddingCache:
    """Vectors of words, relations and chains in words, each embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        def embed(texts: list[str]) -> list[Vectors]:
            # Copies, since a row of the whole would keep all of it in memory.
            return [row.copy() for row in normalise(embedder.embeddings.embed_queries(texts))]

        self._vectors = KeptVectors(embed, _THREADS, MOST_VECTORS, together=True)

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text, in their order.

        Raises:
            ModelError: The embedding model fails.
        """
        return np.array(await self._vectors.of(texts), dtype=np.float32)

    async def nearness(self, text: str, others: Sequence[str]) -> list[float]:
        """Return the cosines between a text and others."""
        if not others:
            return []
        vectors = await self.vectors([text, *others])
        return [float(value) for value in vectors[1:] @ vectors[0]]


def content_words(question: str, kinds: Collection[str] = ()) -> list[str]:
    """Return the words of a question that may name a relation, in lower case; never none.

    The question comes with its start masked; words that name kinds of nodes do not count.
    """
    words = _WORD.findall(question.lower())
    return [word for word in words if word not in STOP and word not in kinds] or ["thing"]


def kind_words(kinds: Collection[str], relations: Collection[str]) -> frozenset[str]:
    """Return the words of kinds and their plurals, without those that are part of a relation's name."""
    named = {word for name in relations for word in _WORD.findall(name.lower().replace("_", " "))}
    words = {word for kind in kinds for word in _WORD.findall(kind.lower())}
    free = {word for word in words if word not in named and _plural(word) not in named}
    return frozenset(free | {_plural(word) for word in free})


def _plural(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"


def mask_name(question: str, name: str) -> str:
    """Return the question with the start's name taken out, wherever and however it is written."""
    return re.sub(re.escape(name), MASK, question, flags=re.IGNORECASE) if name else question


async def scores(
    meanings: EmbeddingCache, question: str, chains: Sequence[Sequence[Hop]], kinds: Collection[str] = ()
) -> list[float]:
    """Return a score for each chain of relations, the higher the better it fits the question, whose start is masked.

    Only their order means something. For `kinds` see `content_words`.
    """
    if not chains:
        return []
    words = content_words(question, kinds)
    names = list(dict.fromkeys(hop.name for chain in chains for hop in chain))
    texts = [chain_text(chain, MASK) for chain in chains]
    vectors = await meanings.vectors([question, *words, *names, *texts])
    question_vector, rest = vectors[0], vectors[1:]
    of_words, of_names = rest[: len(words)], rest[len(words) : len(words) + len(names)]
    near = rest[len(words) + len(names) :] @ question_vector
    table = of_words @ of_names.T
    place = {name: index for index, name in enumerate(names)}
    fits = []
    for chain, cosine in zip(chains, near, strict=True):
        part = table[:, [place[hop.name] for hop in chain]]
        coverage, used = part.max(axis=1).mean(), part.max(axis=0).mean()
        fits.append(float(cosine + COVERAGE * coverage + USED * used - PER_HOP * len(chain)))
    return fits
