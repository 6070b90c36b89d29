"""The queries of a run and the passages that it found, as points in the plane among a sample of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from core.cards.passages import where
from core.cards.texts import QUIET, SERIES, plain, wrapped
from core.charts.columns import Column
from core.charts.styling import styled
from core.runs.vectors import Role, RunVectors, Searched
from core.trace.passages import Passage

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
    """The plane in which the first `fitted` vectors (None: all), one a row, differ most: principal component
    analysis. The others are only drawn in."""
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
    """t-SNE (van der Maaten, Hinton 2008): neighbours stay neighbours, distances between groups mean nothing. With
    fewer than `LEAST_FOR_TSNE` vectors it is PCA."""
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
    """Return the number of neighbours that each of `count` points is placed by: 30 as usual, a third of them where
    there are few."""
    return float(min(30.0, (count - 1) / 3))


Method = Literal["pca", "tsne"]

SYMBOLS: dict[Role, str] = {"query": "diamond", "passage": "triangle-up", "mean": "x"}
"""Told apart by shape as well as by colour."""
SHARED = "#6E7781"
"""Colour of points that belong to all columns of a comparison."""
EDGE: dict[str, object] = {"width": 1.5, "color": "#FFFFFF"}
RING: dict[str, object] = {"symbol": "circle-open", "size": 22, "line": {"width": 3}}
"""Of the question: a star is evidence everywhere else, and a ring hides nothing."""
Point = tuple[float, float]


@dataclass(frozen=True)
class EmbeddingMap:
    """The figure, and what has to be said of it."""

    figure: go.Figure
    kept: float | None
    """Share of the variance that the two axes keep, from 0 to 1; None with t-SNE."""
    chunks: tuple[tuple[str, ...], ...]
    """Chunk ids of each trace's points, in their order; empty where points are no chunks."""

    def chunk(self, curve: int, point: int) -> str | None:
        """The chunk at a point of the figure; None where there is none."""
        chunks = self.chunks[curve] if 0 <= curve < len(self.chunks) else ()
        return chunks[point] if 0 <= point < len(chunks) else None


class _Look(NamedTuple):
    """How a text and what it found are told from the others."""

    colour: str
    name: str
    group: str
    found: str
    """The words of the legend for the passages that it found."""


def embedding_map(
    vectors: RunVectors, method: Method = "pca", columns: Sequence[Column] = ()
) -> EmbeddingMap:
    """The map of a run, or of several: lines lead from each text to what it found, and each hit has the colour of the
    first text that found it, or of the first column where runs stand side by side. `pca` is fitted to the sample and to
    what was searched with; `tsne` places all points anew."""
    rows = [*vectors.other_vectors, *vectors.searched_vectors, *vectors.hit_vectors]
    fitted = len(vectors.other_vectors) + len(vectors.searched_vectors)
    projection = pca(rows, fitted) if method == "pca" else tsne(rows)
    points: list[Point] = [(float(x), float(y)) for x, y in projection.points]
    others, searched = points[: len(vectors.others)], points[len(vectors.others) : fitted]
    at = {passage.chunk: point for passage, point in zip(vectors.hits, points[fitted:], strict=True)}
    looks, finds = _looks(vectors, columns)
    figure = go.Figure()
    chunks: list[Sequence[str]] = [[passage.chunk for passage in vectors.others]]
    _chunks(figure, "Other chunks", vectors.others, others, {"color": QUIET, "size": 6, "opacity": 0.45})
    for item, look, start in zip(vectors.searched, looks, searched, strict=True):
        if hits := [at[chunk] for chunk in item.chunks if chunk in at]:
            _leads(figure, look, start, hits)
            chunks.append(())
    left = {passage.chunk: passage for passage in vectors.hits}
    for look, every in finds:
        if own := [left.pop(chunk) for chunk in every if chunk in left]:
            marker = {"symbol": "square", "size": 11, "color": look.colour, "line": EDGE | {"width": 1}}
            _chunks(figure, look.found, own, [at[passage.chunk] for passage in own], marker, look.group)
            chunks.append([passage.chunk for passage in own])
    for place, (item, look, (x, y)) in enumerate(zip(vectors.searched, looks, searched, strict=True)):
        mark = f"{columns[item.run].mark} · " if item.run is not None and columns else ""
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            name=look.name,
            legendgroup=look.group,
            showlegend=not columns or item.run is None or look not in looks[:place],
            zorder=int(item.role == "question"),
            marker={"color": look.colour}
            | ({"symbol": SYMBOLS[item.role], "size": 14, "line": EDGE} if item.role in SYMBOLS else RING),
            hovertext=[f"<b>{plain(mark + item.name)}</b><br>{wrapped(item.text)}"],
            hoverinfo="text",
        )
        chunks.append(())
    name, unit = ("Principal component", "") if method == "pca" else ("t-SNE axis", " (no unit)")
    styled(figure, 600, legend_y=-0.12, hovermode="closest", dragmode="pan")
    figure.update_layout(legend={"tracegroupgap": 0, "itemsizing": "constant"})
    figure.update_xaxes(title=f"{name} 1{unit}", zeroline=False, constrain="domain")
    # Distances in both directions are drawn alike; only then can they be compared at all.
    scale = {"scaleanchor": "x", "constrain": "domain"} if method == "pca" else {}
    figure.update_yaxes(title=f"{name} 2{unit}", zeroline=False, **scale)
    return EmbeddingMap(figure, projection.kept, tuple(map(tuple, chunks)))


def _looks(
    vectors: RunVectors, columns: Sequence[Column]
) -> tuple[list[_Look], list[tuple[_Look, Sequence[str]]]]:
    """The look of each text, and the chunks that each look found."""
    if not columns:
        looks = [
            _Look(SERIES[place % len(SERIES)], item.name, f"{place}", _found_by(item))
            for place, item in enumerate(vectors.searched)
        ]
        return looks, [(look, item.chunks) for look, item in zip(looks, vectors.searched, strict=True)]
    names = [f"{column.mark} · {plain(column.title)}" for column in columns]
    sides = [
        _Look(column.colour, name, f"run {place}", f"Found by {name}")
        for place, (column, name) in enumerate(zip(columns, names, strict=True))
    ]
    looks = [
        sides[item.run] if item.run is not None else _Look(SHARED, item.name, "question", "")
        for item in vectors.searched
    ]
    return looks, [(look, vectors.chunks_by_run.get(place, ())) for place, look in enumerate(sides)]


def _leads(figure: go.Figure, look: _Look, start: Point, hits: Sequence[Point]) -> None:
    figure.add_scatter(
        x=[value for hit, _ in hits for value in (start[0], hit, None)],
        y=[value for _, hit in hits for value in (start[1], hit, None)],
        mode="lines",
        line={"color": look.colour, "width": 1.5},
        opacity=0.8,
        showlegend=False,
        legendgroup=look.group,
        hoverinfo="skip",
    )


def _chunks(
    figure: go.Figure,
    name: str,
    passages: Sequence[Passage],
    points: Sequence[Point],
    marker: dict[str, object],
    group: str = "",
) -> None:
    figure.add_scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        mode="markers",
        name=name,
        marker=marker,
        hovertext=[
            f"<b>{wrapped(passage.title)}</b><br>{plain(where(passage))}<br>{wrapped(passage.text)}"
            for passage in passages
        ],
        hoverinfo="text",
        legendgroup=group,
    )


def _found_by(item: Searched) -> str:
    return "Found with the mean" if item.role == "mean" else f"Found by {item.name[0].lower()}{item.name[1:]}"
