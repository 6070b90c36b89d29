"""A walk's chances and the cosine as one score: the order of linked retrieval.

After HippoRAG (B. J. Gutiérrez et al., NeurIPS 2024, arXiv 2405.14831) and its second version (2025, arXiv 2502.14802),
where the walk goes over a graph that a model has built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.retrieval.walk import Visits, Walking, stops, visits

if TYPE_CHECKING:
    from core.retrieval.links import Links

Numbers = NDArray[np.float64]
POOL = 30
"""Passages with the largest chances that are candidates, beside all hits of the ranking."""
NO_LINKS = (
    "No passage of this corpus mentions the title of another document, so there is nothing to walk along."
)
NOWHERE = "No mention leads on from the first hits, so they stay in their order."


@dataclass(frozen=True)
class Candidate:
    """A passage that the walk reached, or that the ranking has."""

    place: int
    """In `links.passages`."""
    chance: float
    """To stop there."""
    cosine: float
    score: float


@dataclass(frozen=True)
class Walked:
    """What a walk came to."""

    links: Links
    visited: Visits
    order: tuple[Candidate, ...]
    """Best first."""


def walk_from(
    links: Links,
    hits: Sequence[int],
    cosines: Callable[[Sequence[int]], Numbers],
    how: Walking,
    known: Mapping[int, float] | None = None,
) -> Walked | str:
    """Walk on from the first hits of a ranking, all of whose hits are candidates.

    Args:
        links: Where is walked.
        hits: Passages by their place, best first.
        cosines: Gives the cosine of passages with the query, by their places.
        how: How is walked and joined.
        known: Places of all candidates -> their scores, where these are known already: they make the order, and
            links that are there no longer do not end the walk.

    Returns:
        The walk; or, in a sentence, why there is none.
    """
    if not links.count and not known:
        return NO_LINKS
    seeds = {place: 1 / rank for rank, place in enumerate(hits[: how.seeds], 1)}
    if not (known or any(links.leads_on(place) for place in seeds)):
        return NOWHERE
    visited = visits(links, seeds)
    chances = stops(visited, how.restart)
    places = list(known or dict.fromkeys([*hits, *_largest(chances)]))
    near = cosines(places)
    scores = list(known.values()) if known else joined(chances[places], near, how.weight).tolist()
    order = map(Candidate, places, chances[places].tolist(), near.tolist(), scores)
    return Walked(links, visited, tuple(sorted(order, key=lambda one: -one.score)))


def _largest(chances: Numbers) -> list[int]:
    """Where the largest chances are, the largest first, and of equal ones the first; none that is 0."""
    least = np.partition(chances, -POOL)[-POOL] if len(chances) > POOL else 0
    found = np.flatnonzero((chances >= least) & (chances > 0))
    order: list[int] = found[np.argsort(-chances[found], kind="stable")][:POOL].tolist()
    return order


def joined(chances: Numbers, cosines: Numbers, weight: float) -> Numbers:
    """One score for each passage from its chance and its cosine.

    Both are standardised over the candidates (mean 0, standard deviation 1), so that neither outweighs the other by its
    range alone, as it would with the smallest and largest value: those are of single passages. Of the chances the roots
    are taken: they fall by the step, and the first seeds' alone would decide.
    """
    return standardised(np.sqrt(chances)) + weight * standardised(cosines)


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values with mean 0 and standard deviation 1; zeros where all are the same."""
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)
