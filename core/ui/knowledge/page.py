"""The page Knowledge graph: choose a graph, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.knowledge.catalogue import Graph
from core.knowledge.explorer import Explorer
from core.runs.workbench import Workbench
from core.ui import session, theme
from core.ui.graph_choice import graph_select, made_ready
from core.ui.guard import errors_shown
from core.ui.knowledge import address
from core.ui.knowledge.console import console_section
from core.ui.knowledge.delete import delete_graph
from core.ui.knowledge.explore import explore_section
from core.ui.knowledge.paths import paths_section
from core.ui.knowledge.statistics import statistics_section
from core.ui.safe import literal
from core.ui.sidebar import sidebar

Section = Callable[[Workbench, Explorer], None]
SECTIONS: dict[str, Section] = {
    "Explore": explore_section,
    "Paths": paths_section,
    "Statistics": statistics_section,
    "Cypher": console_section,
}
"""Title -> what draws it, in their order on the page."""


@errors_shown()
def page() -> None:
    """Draw the chosen graph's chosen section."""
    bench = session.workbench()
    theme.apply()
    sidebar(bench)
    address.restore(bench.graphs.names())
    with st.container(horizontal=True, vertical_alignment="center", key="graph-choice"):
        st.header("Knowledge graph", anchor=False, width="content")
        with st.container(width=400):
            name = graph_select(bench, address.graph_chosen, label_visibility="collapsed")
        if name and session.is_teacher(bench):
            delete_graph(bench, name)
    if not name:
        st.info("Choose a graph. Those that come with the app are imported when they are chosen.")
        return
    address.keep_graph(name)
    explorer = made_ready(bench, name)
    if explorer is None:
        return
    _origin(explorer.graph)
    chosen = st.segmented_control(
        "Section",
        list(SECTIONS),
        default="Explore",
        required=True,
        key="section",
        label_visibility="collapsed",
        bind="query-params",
    )
    with errors_shown():
        SECTIONS[str(chosen or "Explore")](bench, explorer)


def _origin(graph: Graph) -> None:
    corpus = f", built from the documents of “{literal(graph.corpus)}”" if graph.corpus else ""
    st.caption(
        f"{graph.nodes:,} nodes and {graph.edges:,} edges{corpus}. Origin: {literal(graph.origin, 120)}."
    )
