"""The page Knowledge graph: the choice of a graph, and its sections, the rare ones under More."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.cards.texts import named
from core.errors import LoupeError
from core.knowledge.explore.explorer import Explorer
from core.knowledge.store.demo_graphs import demo_names
from core.knowledge.store.graph_catalogue import Graph
from core.runs.workbench import Workbench
from core.ui.forms.graph_choice import forget_graph, graph_explorer, graph_select
from core.ui.knowledge import address
from core.ui.knowledge.build import build_section
from core.ui.knowledge.console import console_section
from core.ui.knowledge.duplicates import duplicates_section
from core.ui.knowledge.explore import explore_section
from core.ui.knowledge.export import export_section
from core.ui.knowledge.paths import paths_section, playback_section
from core.ui.knowledge.statistics import statistics_section
from core.ui.shell import session
from core.ui.shell.address import write_param
from core.ui.shell.safe import literal
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import errors_shown
from core.wording import counted

Section = Callable[[Workbench, Explorer], None]
SECTIONS: dict[str, Section] = {
    "Explore": explore_section,
    "Paths": paths_section,
    "Playback": playback_section,
}
"""Title -> what draws it, in their order on the page."""
EXPLORING: dict[str, Section] = {
    "Statistics": statistics_section,
    "Cypher": console_section,
    "Export": export_section,
}
"""The first sections under More."""
DUPLICATES, BUILD, DELETE = "Duplicates", "Build", "Delete"
"""The sections after them, which do not explore: Duplicates needs no index, Build needs no graph."""
RARE = (*EXPLORING, DUPLICATES, BUILD, DELETE)

NOT_YOURS = "Only its owner and the teacher can delete or change it."


@errors_shown()
def page() -> None:
    """Draw the chosen graph's chosen section."""
    bench = framed()
    address.restore(bench.graphs.names())
    address.restore_section(RARE)
    head = st.container(horizontal=True, vertical_alignment="center", key="graph-choice")
    chosen = _section(address.SECTION, (*SECTIONS, "More"))
    if chosen == "More":
        chosen = _section(address.MORE, RARE)
    if chosen == BUILD:
        head.header("Knowledge graph", anchor=False, width="content")
        with errors_shown():
            build_section(bench)
        return
    with head:
        st.header("Knowledge graph", anchor=False, width="content")
        with st.container(width=340):
            name = graph_select(bench, address.graph_chosen, label_visibility="collapsed")
        here = next((graph for graph in bench.graphs.graphs.catalogue.graphs() if graph.name == name), None)
    if not name:
        st.info("Choose a graph. Those that come with the app are imported when they are chosen.")
        return
    write_param(address.GRAPH, name)
    if chosen == DELETE:
        _delete_section(bench, name, here)
        return
    if chosen == DUPLICATES and here is not None and here.ready:
        # Without the search index, which every merge would make out of date.
        _origin(bench, here)
        with errors_shown():
            duplicates_section(bench, name)
        return
    explorer = graph_explorer(bench, name)
    if explorer is None:
        return
    if chosen == DUPLICATES:
        st.rerun()  # it has just been imported
    _origin(bench, explorer.graph)
    with errors_shown():
        (SECTIONS | EXPLORING)[chosen](bench, explorer)


def _section(key: str, titles: Sequence[str]) -> str:
    """Draw a choice of sections, the first unless the address names another; returns the title of the chosen one."""
    if key not in st.session_state.keys() | st.query_params.keys():
        st.session_state[key] = titles[0]
    chosen = st.segmented_control(
        "Section", titles, required=True, key=key, label_visibility="collapsed", bind="query-params"
    )
    return str(chosen or titles[0])


def _origin(bench: Workbench, graph: Graph) -> None:
    locked = "" if session.user(bench).may_change(graph.owner) else f" :material/lock: {NOT_YOURS}"
    corpus = f", built from the documents of “{literal(named(graph.corpus))}”" if graph.corpus else ""
    st.caption(
        f"{counted(graph.nodes, 'node')} and {counted(graph.edges, 'edge')}{corpus}. "
        f"Origin: {literal(graph.origin, 120)}.{locked}"
    )


def _delete_section(bench: Workbench, name: str, graph: Graph | None) -> None:
    """Draw the button that deletes a graph."""
    if not session.user(bench).may_change(graph.owner if graph else ""):
        st.info(NOT_YOURS, icon=":material/lock:")
        return
    st.markdown(f"Deletes the graph “{literal(name)}” for everybody. Runs keep what they found in it.")
    if name in demo_names():
        st.markdown("It comes with the app: choose it again, and it is imported again.")
    st.button(
        "Delete this graph", key="graph-delete-sure", type="primary", on_click=_delete, args=(bench, name)
    )
    if error := st.session_state.pop("graph-delete-error", None):
        st.error(literal(error), icon=":material/error:")


def _delete(bench: Workbench, name: str) -> None:
    try:
        bench.graphs.delete(name, session.user(bench))
    except LoupeError as error:
        st.session_state["graph-delete-error"] = str(error)
        return
    # Not the same graph again: one that comes with the app would come back at once.
    st.session_state["graph"] = None
    forget_graph()
    address.graph_chosen()
    st.session_state[address.SECTION] = "Explore"
