"""Late interaction: query and passage meet token by token, and not as one vector each.

MaxSim of ColBERT (O. Khattab and M. Zaharia, SIGIR 2020, arXiv 2004.12832), over vectors of an encoder that was not
trained for it. So it is joined with the search's own score, and words such as “the” ask for nothing: weight and words
were chosen by `research.reranking`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.models.embedding_vectors import standardise
from core.retrieval.tokens import STOP_WORDS

Vectors = NDArray[np.floating[Any]]
"""One per token, at length 1."""
Numbers = NDArray[np.float64]
WEIGHT = 0.75
"""Of MaxSim in the joined score, where the search's own score has 1."""
SCORE_NAME = "search and MaxSim"


def asks(token: str) -> bool:
    """Return True if a token of a query looks for anything: neither a stop word nor a mark."""
    return token not in STOP_WORDS and any(map(str.isalnum, token))


def maxsim(query: Vectors, passage: Vectors) -> float:
    """Return the cosine of each token of a query with its nearest in a passage, on average: from -1 to 1."""
    if not len(query) or not len(passage):
        return 0.0
    return float((query.astype(np.float32) @ passage.astype(np.float32).T).max(axis=1).mean())


def join_scores(
    searched: Sequence[float], likeness: Sequence[float | None], weight: float = WEIGHT
) -> Numbers:
    """Return one score per passage from the search's score and MaxSim, both standardised over the passages.

    A passage of which MaxSim says nothing (None) counts as an average one.
    """
    known = [cosine for cosine in likeness if cosine is not None]
    usual = float(np.mean(known)) if known else 0.0
    near = np.array([usual if cosine is None else cosine for cosine in likeness])
    return standardise(np.array(searched, dtype=np.float64)) + weight * standardise(near)
