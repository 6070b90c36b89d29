"""What a run searched with and what it found, as points in the plane among a sample of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go

from core.cards.colours import QUIET, SERIES
from core.cards.passages import where
from core.cards.texts import plain, wrapped
from core.charts.columns import Column
from core.charts.projection import pca, tsne
from core.charts.styling import styled
from core.runs.vectors import Role, RunVectors, Searched
from core.trace.passages import Passage

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
    """Whether it is the first of its group, and so the one that the legend names."""


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
    _hits(figure, chunks, vectors, searched, hits, looks)
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
) -> None:
    """Lines from each text to what it found; each hit in the colour of the first text that found it."""
    at = {passage.chunk: point for passage, point in zip(vectors.hits, hits, strict=True)}
    passages = {passage.chunk: passage for passage in vectors.hits}
    first: dict[str, int] = {}
    for place, (item, (x, y)) in enumerate(zip(vectors.searched, searched, strict=True)):
        found = [chunk for chunk in item.chunks if chunk in at]
        for chunk in found:
            first.setdefault(chunk, place)
        if found:
            figure.add_scatter(
                x=[value for chunk in found for value in (x, at[chunk][0], None)],
                y=[value for chunk in found for value in (y, at[chunk][1], None)],
                mode="lines",
                line={"color": looks[place].colour, "width": 1.5},
                opacity=0.8,
                showlegend=False,
                legendgroup=looks[place].group,
                hoverinfo="skip",
            )
            chunks.append(())
    groups = {looks[place].group: place for place in sorted(set(first.values()), reverse=True)}
    for group, place in sorted(groups.items(), key=lambda pair: pair[1]):
        own = [passages[chunk] for chunk, finder in first.items() if looks[finder].group == group]
        look = {
            "symbol": "square",
            "size": 11,
            "color": looks[place].colour,
            "line": {"width": 1, "color": "#FFFFFF"},
        }
        name = _found_by(vectors.searched[place], looks[place])
        _chunks(figure, name, own, [at[passage.chunk] for passage in own], look, group)
        chunks.append(tuple(passage.chunk for passage in own))


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
        column, group = columns[item.run], f"run {item.run}"
        first = all(look.group != group for look in made)
        made.append(_Look(column.colour, f"{column.mark} · {plain(column.title)}", group, first))
    return made


def _found_by(item: Searched, look: _Look) -> str:
    if item.run is not None:
        return f"Found by {look.name}"
    return "Found with the mean" if item.role == "mean" else f"Found by {look.name[0].lower()}{look.name[1:]}"


def _hover_name(item: Searched, columns: Sequence[Column]) -> str:
    mark = f"{columns[item.run].mark} · " if item.run is not None and columns else ""
    return plain(f"{mark}{item.name}")
