"""The section Paths: how two entities are connected."""

from __future__ import annotations

import streamlit as st

from core.knowledge.explore.explorer import Explorer
from core.knowledge.store.graph_store import MAX_HOPS
from core.runs.workbench import Workbench
from core.ui.knowledge.paths_view import distinct_paths, path_line, paths_network
from core.ui.knowledge.search import entity_search
from core.ui.knowledge.work import awaited
from core.ui.run.network import draw_network
from core.ui.shell.safe import literal
from core.ui.shell.theme import reading_aid
from core.wording import counted

FOUND = 20


@st.fragment
def paths_section(bench: Workbench, explorer: Explorer) -> None:
    """Two entities, the paths between them as a list, and a drawing of all with the chosen one lit."""
    graph = explorer.graph
    with st.grid(3, min_column_width=240, vertical_alignment="bottom"):
        left, right = st.container(), st.container()
        hops = st.slider(
            "Longest path, in hops",
            1,
            MAX_HOPS,
            3,
            key="path-hops",
            help="A hop is one edge, followed in either direction.",
        )
    notes = st.container()
    with left:
        source = entity_search(explorer, "From", f"path-from-{graph.id}", notes)
    with right:
        target = entity_search(explorer, "To", f"path-to-{graph.id}", notes)
    if source is None or target is None:
        st.info("Choose two entities to see how they are connected.")
        return
    if source.id == target.id:
        st.info("Both are the same entity. Choose another one.")
        return
    paths = awaited(
        "paths",
        (graph.id, graph.version, source.id, target.id, hops),
        lambda: distinct_paths(explorer.store.paths(source.id, target.id, hops, limit=FOUND)),
        "Looking for paths",
    )
    if paths is None:
        return
    if not paths:
        st.warning(
            f"There is no path of at most {counted(hops, 'hop')} between "
            f"{literal(source.name, 80)} and {literal(target.name, 80)}."
            + (" Allow more hops." if hops < MAX_HOPS else ""),
            icon=":material/link_off:",
        )
        return
    chosen = st.radio(
        f"The {len(paths)} shortest paths" if len(paths) >= FOUND else "Paths, the shortest first",
        range(len(paths)),
        format_func=lambda place: f"{paths[place].hops} · {literal(path_line(paths[place]), 240)}",
        key=f"path-{graph.id}-{source.id}-{target.id}-{hops}",
    )
    draw_network(paths_network(paths, chosen), f"paths-{graph.id}", height=460)
    reading_aid("The lit path is the one chosen in the list; the number before a path is its hops.")
