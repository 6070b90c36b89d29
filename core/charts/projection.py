"""Vectors of many dimensions brought into two, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEAST_FOR_TSNE = 6
"""Points below which t-SNE has no neighbourhoods to keep."""
SEED = 0


@dataclass(frozen=True)
class Projection:
    """Points in the plane, in the order of the vectors."""

    points: NDArray[np.floating[Any]]
    """n × 2."""
    kept: float | None
    """Share of the fitted vectors' variance that the plane keeps, from 0 to 1; None: the method has no such thing."""


def pca(vectors: ArrayLike, fitted: int | None = None) -> Projection:
    """Principal component analysis: the plane in which the vectors differ most.

    Args:
        vectors: One a row.
        fitted: How many of the first rows the plane is fitted to, the others only being drawn in; None: all.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    basis = rows[:fitted]
    if not len(basis):
        return Projection(np.zeros((len(rows), 2)), 0.0)
    centre = basis.mean(axis=0)
    _, lengths, axes = np.linalg.svd(basis - centre, full_matrices=False)
    # A component has no sign of its own: its largest entry is made positive, so that a plot is the same each time.
    plane = np.zeros((2, rows.shape[1]))
    for place, axis in enumerate(axes[:2]):
        plane[place] = axis * (1 if axis[np.argmax(np.abs(axis))] >= 0 else -1)
    spread = lengths**2
    total = float(spread.sum())
    return Projection((rows - centre) @ plane.T, float(spread[:2].sum()) / total if total else 0.0)


def tsne(vectors: ArrayLike) -> Projection:
    """t-SNE (van der Maaten, Hinton 2008): neighbours stay neighbours, distances between groups mean nothing.

    With fewer than `LEAST_FOR_TSNE` vectors it is PCA.
    """
    rows = np.asarray(vectors, dtype=np.float32)
    if len(rows) < LEAST_FOR_TSNE:
        return Projection(pca(rows).points, None)
    import threadpoolctl
    from sklearn.manifold import TSNE  # takes a second to import: only when it is chosen

    fit = TSNE(
        n_components=2, perplexity=perplexity(len(rows)), init="pca", random_state=SEED, learning_rate="auto"
    )
    # Its threads wait by spinning: with other work on the machine, two take fifteen times as long as one.
    with threadpoolctl.threadpool_limits(1):
        return Projection(np.asarray(fit.fit_transform(rows)), None)


def perplexity(count: int) -> float:
    """How many neighbours each of `count` points is placed by: 30 as usual, a third of them where there are few."""
    return float(min(30.0, (count - 1) / 3))
