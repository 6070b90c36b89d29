"""The queries of a run and the passages that it found, as points in the plane among a sample of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

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


Method = Literal["pca", "tsne"]

SYMBOLS: dict[Role, str] = {"question": "star", "query": "diamond", "passage": "triangle-up", "mean": "x"}
"""Told apart by shape as well as by colour."""
SIZES: dict[Role, int] = {"question": 19, "query": 14, "passage": 14, "mean": 14}
SHARED = "#6E7781"
"""Colour of points that belong to all columns of a comparison."""
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
        found = self.chunks[curve] if 0 <= curve < len(self.chunks) else ()
        return found[point] if 0 <= point < len(found) else None


@dataclass(frozen=True)
class _Look:
    """How a text and what it found are told from the others."""

    colour: str
    name: str
    group: str
    first: bool
    """True if it is the first of its group, and so the one that the legend names."""


def embedding_map(
    vectors: RunVectors, method: Method = "pca", columns: Sequence[Column] = ()
) -> EmbeddingMap:
    """The map of a run, or of several.

    Args:
        method: `pca` is fitted to the sample and to what was searched with; `tsne` places all points anew.
        columns: The runs that stand side by side: each has one colour; empty: each text of the one run has its own.
    """
    looks = _looks(vectors.searched, columns)
    rows = [*vectors.other_vectors, *vectors.searched_vectors, *vectors.hit_vectors]
    fitted = len(vectors.other_vectors) + len(vectors.searched_vectors)
    made = pca(rows, fitted) if method == "pca" else tsne(rows)
    points: list[Point] = [(float(x), float(y)) for x, y in made.points]
    others, searched, hits = (
        points[: len(vectors.others)],
        points[len(vectors.others) : fitted],
        points[fitted:],
    )
    figure = go.Figure()
    chunks: list[tuple[str, ...]] = []
    _chunks(figure, "Other chunks", vectors.others, others, {"color": QUIET, "size": 6, "opacity": 0.45})
    chunks.append(tuple(passage.chunk for passage in vectors.others))
    _hits(figure, chunks, vectors, searched, hits, looks, columns)
    for item, look, (x, y) in zip(vectors.searched, looks, searched, strict=True):
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            name=look.name,
            legendgroup=look.group,
            showlegend=look.first,
            marker={
                "symbol": SYMBOLS[item.role],
                "size": SIZES[item.role],
                "color": look.colour,
                "line": {"width": 1.5, "color": "#FFFFFF"},
            },
            hovertext=[f"<b>{_hover_name(item, columns)}</b><br>{wrapped(item.text)}"],
            hoverinfo="text",
        )
        chunks.append(())
    _axes(figure, method)
    return EmbeddingMap(figure, made.kept, tuple(chunks))


def _hits(
    figure: go.Figure,
    chunks: list[tuple[str, ...]],
    vectors: RunVectors,
    searched: Sequence[Point],
    hits: Sequence[Point],
    looks: Sequence[_Look],
    columns: Sequence[Column],
) -> None:
    """Lines from each text to what it found; each hit in the colour of the first column or text that found it."""
    at = {passage.chunk: point for passage, point in zip(vectors.hits, hits, strict=True)}
    for item, look, (x, y) in zip(vectors.searched, looks, searched, strict=True):
        if found := [chunk for chunk in item.chunks if chunk in at]:
            figure.add_scatter(
                x=[value for chunk in found for value in (x, at[chunk][0], None)],
                y=[value for chunk in found for value in (y, at[chunk][1], None)],
                mode="lines",
                line={"color": look.colour, "width": 1.5},
                opacity=0.8,
                showlegend=False,
                legendgroup=look.group,
                hoverinfo="skip",
            )
            chunks.append(())
    left = {passage.chunk: passage for passage in vectors.hits}
    for name, look, finds in _finders(vectors, looks, columns):
        own = [left.pop(chunk) for chunk in finds if chunk in left]
        if not own:
            continue
        marker = {
            "symbol": "square",
            "size": 11,
            "color": look.colour,
            "line": {"width": 1, "color": "#FFFFFF"},
        }
        _chunks(figure, name, own, [at[passage.chunk] for passage in own], marker, look.group)
        chunks.append(tuple(passage.chunk for passage in own))


def _finders(
    vectors: RunVectors, looks: Sequence[_Look], columns: Sequence[Column]
) -> list[tuple[str, _Look, tuple[str, ...]]]:
    """Each column, or each text of the one run: what the legend says of its finds, its look, and the finds."""
    if not columns:
        return [
            (_found_by(item, look), look, item.chunks)
            for item, look in zip(vectors.searched, looks, strict=True)
        ]
    own = [_column_look(columns, number) for number in range(len(columns))]
    return [(f"Found by {look.name}", look, vectors.found.get(number, ())) for number, look in enumerate(own)]


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


def _axes(figure: go.Figure, method: Method) -> None:
    names = ("Principal component", "") if method == "pca" else ("t-SNE axis", " (no unit)")
    styled(figure, 560, legend_y=-0.14, hovermode="closest", dragmode="pan")
    figure.update_layout(legend={"tracegroupgap": 0, "itemsizing": "constant"})
    figure.update_xaxes(title=f"{names[0]} 1{names[1]}", zeroline=False)
    # Distances in both directions are drawn alike; only then can they be compared at all.
    scale = {"scaleanchor": "x", "scaleratio": 1} if method == "pca" else {}
    figure.update_yaxes(title=f"{names[0]} 2{names[1]}", zeroline=False, **scale)


def _looks(searched: Sequence[Searched], columns: Sequence[Column]) -> list[_Look]:
    if not columns:
        return [
            _Look(SERIES[place % len(SERIES)], item.name, f"{place}", first=True)
            for place, item in enumerate(searched)
        ]
    made: list[_Look] = []
    for item in searched:
        if item.run is None:
            made.append(_Look(SHARED, item.name, "question", first=True))
            continue
        look = _column_look(columns, item.run)
        made.append(replace(look, first=all(other.group != look.group for other in made)))
    return made


def _column_look(columns: Sequence[Column], number: int) -> _Look:
    column = columns[number]
    return _Look(column.colour, f"{column.mark} · {plain(column.title)}", f"run {number}", first=True)


def _found_by(item: Searched, look: _Look) -> str:
    return "Found with the mean" if item.role == "mean" else f"Found by {look.name[0].lower()}{look.name[1:]}"


def _hover_name(item: Searched, columns: Sequence[Column]) -> str:
    mark = f"{columns[item.run].mark} · " if item.run is not None and columns else ""
    return plain(f"{mark}{item.name}")
