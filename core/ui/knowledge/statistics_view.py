"""A graph in numbers, as bar charts."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.cards.texts import SERIES, plain, shortened, wrapped
from core.charts.styling import styled
from core.knowledge.records import Count, NodeRecord

LABEL_CHARS = 30


def connected_chart(connected: Sequence[tuple[NodeRecord, int]]) -> go.Figure:
    """The nodes with the most edges, the first on top."""
    names = [node.name for node, _ in connected]
    details = [f"{wrapped(node.name)}<br>{plain(node.kind)}" for node, _ in connected]
    counts = [count for _, count in connected]
    return _bars(names, counts, details, "Edges of the entity (number)", "Entity", SERIES[0])


def relations_chart(relations: Sequence[Count]) -> go.Figure:
    """The most frequent relations, the first on top."""
    names = [relation.name.replace("_", " ") for relation in relations]
    counts = [relation.count for relation in relations]
    details = [wrapped(relation.name) for relation in relations]
    return _bars(names, counts, details, "Edges with the relation (number)", "Relation", SERIES[2])


def _bars(
    names: Sequence[str], counts: Sequence[int], details: Sequence[str], what: str, axis: str, colour: str
) -> go.Figure:
    # By place, not by name: two shortened names may be alike, and each has a bar of its own.
    places = list(range(len(names)))
    figure = go.Figure()
    figure.add_bar(
        x=list(counts),
        y=places,
        orientation="h",
        marker={"color": colour},
        text=[f"{count:,}" for count in counts],
        textposition="outside",
        cliponaxis=False,
        hovertext=[f"{detail}<br>{count:,}" for detail, count in zip(details, counts, strict=True)],
        hoverinfo="text",
    )
    styled(figure, 90 + 30 * max(3, len(names)), right=50, showlegend=False, bargap=0.25)
    figure.update_xaxes(title=what, rangemode="tozero")
    figure.update_yaxes(
        title=axis,
        tickvals=places,
        ticktext=[shortened(name, LABEL_CHARS) for name in names],
        range=[len(names) - 0.5, -0.5],
        automargin=True,
    )
    return figure
