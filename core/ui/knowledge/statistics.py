"""The section Statistics: a graph in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from core.cards.texts import SERIES, plain, shortened, wrapped
from core.charts.styling import styled
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import Count, NodeRecord, Statistics
from core.knowledge.triples import PARTS, STATEMENT
from core.runs.workbench import Workbench
from core.ui.knowledge.work import awaited
from core.ui.shell.widgets import reading_aid

LISTED = 15
COUNTED = 60
"""More than are listed: hypernodes and their parts are among them, and are counted apart."""


def graph_numbers(explorer: Explorer) -> Statistics | None:
    """The graph in numbers, counted once per session; None: not yet."""
    graph = explorer.graph
    return awaited(
        "statistics",
        (graph.id, graph.version),
        lambda: _entities(explorer.store.statistics(COUNTED), explorer.graph.native),
        "Counting nodes and edges",
    )


def _entities(numbers: Statistics, native: bool) -> Statistics:
    """Without hypernodes among the best connected, and without the edges to their ends among the relations."""
    connected, relations = numbers.connected, numbers.relations
    if not native:
        connected = tuple(one for one in connected if one[0].kind != STATEMENT)
        relations = tuple(one for one in relations if one.name not in PARTS)
    return numbers.model_copy(update={"connected": connected[:LISTED], "relations": relations[:LISTED]})


def statistics_section(bench: Workbench, explorer: Explorer) -> None:
    """Counts, the best connected nodes, the most frequent relations."""
    numbers = graph_numbers(explorer)
    if numbers is None:
        return
    counts = [
        ("Nodes", numbers.nodes, "Entities, and hypernodes where there are any."),
        ("Edges", numbers.edges, "Triples with one edge per source, and the parts of hypernodes."),
        ("Hypernodes", numbers.statements, "Whole triples that are nodes, so that others can be about them."),
    ]
    for column, (title, count, explained) in zip(st.columns(3), counts, strict=True):
        column.metric(title, f"{count:,}", help=explained, border=True)
    if not numbers.edges:
        st.info("There is no edge in this graph yet.")
        return
    with st.grid(2, min_column_width=420, gap="medium"):
        with st.container():
            st.markdown("### Most connected")
            reading_aid("The longer the bar, the more edges lead to or from the entity.")
            _chart(connected_chart(numbers.connected), "connected", "The entities with the most edges")
        with st.container():
            st.markdown("### Relations by count")
            parts = " The parts of hypernodes are left out." if numbers.statements else ""
            reading_aid(f"The longer the bar, the more edges carry the relation.{parts}")
            _chart(relations_chart(numbers.relations), "relations", "The most frequent relations")


def _chart(figure: go.Figure, key: str, alt: str) -> None:
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)


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
