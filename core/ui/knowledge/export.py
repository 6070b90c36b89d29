"""The section Export: the graph as a file, and the drawing as a page of its own."""

from __future__ import annotations

import streamlit as st

from core.drawings.network import Network
from core.knowledge.explore.explorer import Explorer
from core.knowledge.store.exporting import SUFFIXES, Format, lines
from core.report import network_report
from core.runs.workbench import Workbench
from core.ui.knowledge.explore import DRAWING
from core.ui.knowledge.work import awaited, forget_work
from core.ui.shell.widgets import download, file_name
from core.wording import counted, file_size

FORMATS: dict[Format, tuple[str, str]] = {
    "triples": (
        "Triples, TSV",
        "Subject, relation, object and source in columns: for a spreadsheet, and to import again.",
    ),
    "jsonl": (
        "Triples, JSON Lines",
        "One triple a line with all that is known of it, hypernodes as nested triples: to import again.",
    ),
    "graphml": ("GraphML", "Nodes and edges for other programs, such as Gephi, yEd or networkx."),
}
"""Title and what it is for."""


@st.fragment
def export_section(bench: Workbench, explorer: Explorer) -> None:
    """Offer a file of the whole graph, and the drawing of Explore."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("### The whole graph")
        _graph(explorer)
    with right:
        st.markdown("### The drawing")
        _drawing(explorer)


def _graph(explorer: Explorer) -> None:
    graph = explorer.graph
    offered: list[Format] = ["graphml"] if graph.native else list(FORMATS)
    chosen: Format = st.radio(
        "Format",
        offered,
        format_func=lambda form: FORMATS[form][0],
        captions=[FORMATS[form][1] for form in offered],
        key=f"export-format-{graph.native}",
    )
    if graph.native:
        st.caption("This graph has a schema of its own, so it is not made of triples.")
    request, key = (graph.id, graph.version, chosen), "export"
    if st.button("Prepare the file", key="export-prepare", icon=":material/draft:"):
        st.session_state["export-asked"] = request
        forget_work(key)
    if st.session_state.get("export-asked") != request:
        return
    text = awaited(key, request, lambda: "".join(lines(explorer.store, chosen)), "Reading the graph")
    if text is not None:
        file = f"{file_name(graph.name, 'graph')}{SUFFIXES[chosen]}"
        download(f"Download ({file_size(len(text.encode()))})", text, file, "export-graph", type="primary")


def _drawing(explorer: Explorer) -> None:
    drawn: tuple[str, Network] | None = st.session_state.get(DRAWING)
    if drawn is None or drawn[0] != explorer.graph.id:
        st.info("Draw something in Explore first. The drawing can then be exported as one HTML file.")
        return
    network = drawn[1]
    st.markdown(
        f"What Explore shows, {counted(len(network.nodes), 'node')}, as one HTML file. It opens in any browser, "
        "without a network and without this app."
    )
    name = explorer.graph.name
    page = awaited("drawing", network, lambda: network_report(network, name), "Making the page")
    if page is not None:
        file = f"{file_name(name, 'graph')}.html"
        download(f"Download ({file_size(len(page.encode()))})", page, file, "export-drawing")
