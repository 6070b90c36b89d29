"""Questions that are labelled with the way they should take, and the nearest of them to a question."""

from __future__ import annotations

import asyncio
import csv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from core.models.embedding_vectors import cosine_matrix, normalise
from core.models.precomputed import PrecomputedEmbeddings, load_vectors
from core.trace.artefacts import RouteVote, WayName

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.models.embeddings import Embedder

    Rows = NDArray[np.floating]

ROUTING = Path(__file__).parents[2] / "data" / "routing"
EXAMPLES, KEPT_OUT, VECTORS = ROUTING / "examples.tsv", ROUTING / "kept_out.tsv", ROUTING / "vectors.npz"

_KEPT: dict[str, Rows] = {}
"""Key of an embedding model -> the vectors of the examples, in their order."""


class Example(NamedTuple):
    """A labelled question."""

    way: WayName
    question: str
    source: str
    """Where it comes from: `own`, or a data set."""


@cache
def examples(file: Path = EXAMPLES) -> tuple[Example, ...]:
    """The labelled questions of a file."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(Example(cast("WayName", row["way"]), row["question"], row["source"]) for row in rows)


async def nearest(embedder: Embedder, question: str, count: int) -> tuple[RouteVote, ...]:
    """The examples whose vectors have the largest cosine with the question's, nearest first.

    Raises:
        ModelError: The embedding model fails.
    """
    rows = await _vectors(embedder)
    cosines = cosine_matrix([await embedder.embed_query(question)], rows)[0]
    known = examples()
    return tuple(
        RouteVote(
            question=known[place].question, way=known[place].way, cosine=round(float(cosines[place]), 4)
        )
        for place in (-cosines).argsort(kind="stable")[:count]
    )


async def _vectors(embedder: Embedder) -> Rows:
    """The vectors of all examples: those that come with the app, or computed once per process."""
    if embedder.key not in _KEPT:
        texts = [one.question for one in examples()]
        known = PrecomputedEmbeddings(embedder.embeddings, load_vectors(VECTORS, embedder.key))
        _KEPT[embedder.key] = normalise(await asyncio.to_thread(known.embed_documents, texts))
    return _KEPT[embedder.key]
