"""Personalised PageRank over the links of a corpus: where somebody ends who reads on from the first hits.

T. H. Haveliwala: Topic-Sensitive PageRank. WWW 2002. At each passage the reader stops with probability `restart`, else
goes on along one of its links. The chance to stop at a passage is Σ r (1 − r)^j · visits_j over the steps j, where
visits_j is the chance to be there after j steps. So HippoRAG ranks passages (B. J. Gutiérrez et al., NeurIPS 2024,
arXiv 2405.14831).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # the options of a walk are read at every start, NumPy and SciPy for a walk alone
    import numpy as np
    from numpy.typing import NDArray

    from core.retrieval.links import Links

SCORE_NAME = "walk and cosine"


@dataclass(frozen=True)
class Walking:
    """How is walked and joined. The values were chosen on 300 questions of 2WikiMultihopQA."""

    seeds: int = 5
    """First hits of the ranking, at which the walk begins: at each with a chance by its reciprocal rank."""
    restart: float = 0.35
    """Chance to stop at a passage."""
    weight: float = 0.5
    """Of the cosine, where the walk has 1."""


Visits: TypeAlias = "NDArray[np.float64]"
"""Steps × passages: the chance to be at a passage after so many steps; the first row are the seeds."""
STEPS = 10
"""Steps that are followed; with a restart of 0.5, less than a thousandth of the readers goes further."""


def visits(links: Links, seeds: Mapping[int, float], steps: int = STEPS) -> Visits:
    """The chances to be at each passage after each number of steps, from 0; the sum of each row is 1.

    From a passage without links, one goes on to a seed.

    Args:
        links: Where is walked.
        seeds: Passages to begin at, one at least, each with its chance; the chances are scaled to a sum of 1.
        steps: The largest number.
    """
    import numpy as np

    begin = np.zeros(len(links.passages))
    begin[list(seeds)] = list(seeds.values())
    begin /= begin.sum()
    found = [begin]
    for _ in range(steps):
        moved = links.step(found[-1])
        found.append(moved + (1 - moved.sum()) * begin)
    return np.array(found)


def stops(visited: Visits, restart: float) -> NDArray[np.float64]:
    """The chance to stop at each passage; their sum is 1.

    Args:
        visited: See `visits`; who has not stopped after the last step stops there.
        restart: Chance to stop at a passage, above 0 and at most 1.
    """
    import numpy as np

    steps = len(visited)
    shares = restart * (1 - restart) ** np.arange(steps)
    shares[-1] = (1 - restart) ** (steps - 1)
    chances: NDArray[np.float64] = np.einsum(
        "s,sp->p", shares, visited
    )  # `@` waits for threads that it wakes
    return chances


def way(links: Links, visited: Visits, passage: int) -> list[int]:
    """The shortest way from a seed to a passage, along which most readers come; empty: none leads there."""
    reached = visited[:, passage].nonzero()[0]
    if not len(reached):
        return []
    found = [passage]
    for step in range(int(reached[0]), 0, -1):
        before = visited[step - 1]
        found.append(int((before * links.shares(found[-1])).argmax()))
    return found[::-1]
