"""Choosing a knowledge graph, and watching it being made ready."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from core.knowledge.explore.explorer import Explorer
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.runs.sources.graphs import GraphJob
from core.runs.workbench import Workbench
from core.ui.shell.progress import watch
from core.ui.shell.safe import literal
from core.ui.shell.widgets import problem

FIRST_GRAPH = DEMO_GRAPHS[0].name
"""That of the demo corpus."""
_JOB = "graph-job"
"""Key, in the session, of the name of a graph and the job that makes it ready."""


def graph_select(
    bench: Workbench,
    on_change: Callable[[], None] | None = None,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> str:
    """Draw the choice of a graph, the same on all pages; returns its name, empty where none is chosen."""
    names = bench.graphs.names()
    if st.session_state.get("graph", names[0]) not in names:
        st.session_state["graph"] = None  # it was deleted
    name = st.selectbox(
        "Knowledge graph",
        names,
        index=names.index(FIRST_GRAPH) if "graph" not in st.session_state else 0,
        key="graph",
        help="The graph that is explored. Graphs that come with the app are imported when they are first chosen.",
        placeholder="Choose a graph",
        on_change=on_change,
        label_visibility=label_visibility,
        persist_state="session",
    )
    return str(name or "")


def graph_explorer(bench: Workbench, name: str, meanwhile: str = "") -> Explorer | None:
    """Return the graph of a name, if it is ready; until then its progress is drawn, or why it cannot be made ready.

    `meanwhile` says, in our own words, what can be done while it is being made ready.
    """
    job = _job(bench, name)
    if not job.done:
        watch(job, lambda: (job.progress.share, job.message), about=meanwhile)
        return None
    if error := job.error():
        st.error(literal(problem(error)), title="The graph could not be made ready")
        if st.button("Try again", key="graph-again", icon=":material/refresh:"):
            forget_graph()
            st.rerun()
        return None
    return job.result()


def forget_graph() -> None:
    """Make it ready anew with the next redraw."""
    st.session_state.pop(_JOB, None)


def _job(bench: Workbench, name: str) -> GraphJob:
    """Return the job that makes a graph ready; one that failed stays until it is asked for again."""
    current: tuple[str, GraphJob] | None = st.session_state.get(_JOB)
    if current is None or current[0] != name or _outdated(bench, current[1]):
        current = st.session_state[_JOB] = (name, bench.graphs.prepare(name))
    return current[1]


def _outdated(bench: Workbench, job: GraphJob) -> bool:
    """Return True if the graph was deleted or changed since it was made ready."""
    if not job.done or job.error():
        return False
    known = job.result().graph
    graphs = bench.graphs.graphs.catalogue.graphs()
    return not any((graph.id, graph.version) == (known.id, known.version) for graph in graphs)
