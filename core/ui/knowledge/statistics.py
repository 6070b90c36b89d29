"""The section Statistics: a graph in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import Statistics
from core.knowledge.triples import PARTS, STATEMENT
from core.runs.workbench import Workbench
from core.ui.knowledge.work import awaited
from core.ui.shell.widgets import reading_aid

LISTED = 15
COUNTED = 60
"""More than are listed: hypernodes and their parts are among them, and are counted apart."""


def graph_numbers(explorer: Explorer) -> Statistics | None:
    """Return the graph in numbers, counted once per session; None: not yet."""
    graph = explorer.graph
    return awaited(
        "statistics",
        (graph.id, graph.version),
        lambda: _entities(explorer.store.statistics(COUNTED), explorer.graph.native),
        "Counting nodes and edges",
    )


def _entities(numbers: Statistics, native: bool) -> Statistics:
    """Return the numbers without hypernodes, and without the edges to their ends among the relations."""
    connected, relations = numbers.connected, numbers.relations
    if not native:
        connected = tuple(pair for pair in connected if pair[0].kind != STATEMENT)
        relations = tuple(relation for relation in relations if relation.name not in PARTS)
    return numbers.model_copy(update={"connected": connected[:LISTED], "relations": relations[:LISTED]})


def statistics_section(bench: Workbench, explorer: Explorer) -> None:
    """Draw counts, the best connected nodes, the most frequent relations."""
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
            entities = [(node.name, node.kind, count) for node, count in numbers.connected]
            _table(entities, ["Entity", "Kind"], "connected", "The entities with the most edges")
        with st.container():
            st.markdown("### Relations by count")
            parts = " The parts of hypernodes are left out." if numbers.statements else ""
            reading_aid(f"The longer the bar, the more edges carry the relation.{parts}")
            relations = [(relation.name.replace("_", " "), relation.count) for relation in numbers.relations]
            _table(relations, ["Relation"], "relations", "The most frequent relations")


def _table(rows: Sequence[tuple[str | int, ...]], names: Sequence[str], key: str, alt: str) -> None:
    """Draw rows of names as text, each with its number of edges, the last cell, as a bar."""
    frame = pd.DataFrame(rows, columns=[*names, "Edges"])
    most = max(frame["Edges"], default=1)  # of 60 that were counted, all may be hypernodes or their parts
    bar = st.column_config.ProgressColumn("Edges", format="localized", min_value=0, max_value=most)
    st.dataframe(frame, hide_index=True, column_config={"Edges": bar}, height="content", key=key, alt=alt)
