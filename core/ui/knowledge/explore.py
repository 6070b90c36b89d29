"""The section Explore: search an entity, draw what is around it, expand, filter, and read where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.drawings.network import Network, NetworkEdge, NetworkNode, State
from core.knowledge.explore.browsing import Filters, Surroundings, filters, surroundings
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import NodeRecord
from core.knowledge.triples import PARTS, STATEMENT
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.knowledge import address
from core.ui.knowledge.details import draw_edge, draw_node, node_head
from core.ui.knowledge.search import entity_search
from core.ui.knowledge.statistics import graph_numbers
from core.ui.knowledge.work import awaited
from core.ui.run.network import draw_network
from core.ui.shell.address import write_param
from core.ui.shell.navigation import leave_for
from core.ui.shell.safe import literal
from core.ui.shell.widgets import popover, reading_aid
from core.wording import counted

DRAWN = 300
"""Nodes in the drawing at most."""
READABLE = 12
"""Nodes for each one that is expanded, until somebody wants all: so many names can be read."""
SUGGESTED = 4
FILTERS = ("relations", "kinds", "documents")
DRAWING = "knowledge-drawing"
"""Session state: id of the graph and the network that was drawn last, for the export."""


@dataclass
class View:
    """The part of one graph that is looked at."""

    start: str
    expanded: list[str] = field(default_factory=list)
    """Ids of the nodes whose neighbours are shown, in the order they were expanded."""
    chosen: str = ""
    """Key of the node or edge that is shown beside the drawing."""
    whole: bool = False
    """True if all neighbours are shown, as far as that goes."""

    @property
    def limit(self) -> int:
        """Nodes that are drawn at most."""
        return DRAWN if self.whole else min(DRAWN, READABLE * len(self.expanded))

    def show_all(self) -> None:
        """Show all neighbours."""
        self.whole = True

    def expand(self, ident: str) -> None:
        """Show the neighbours of a node."""
        if ident not in self.expanded:
            self.expanded.append(ident)

    def collapse(self, ident: str) -> None:
        """Take the neighbours of a node away, unless another node has them too."""
        self.expanded = [node for node in self.expanded if node != ident] or [self.start]


@st.fragment
def explore_section(bench: Workbench, explorer: Explorer) -> None:
    """Search and filters in a row, the drawing, and beside it what was clicked."""
    view = _view(explorer)
    with st.grid(3, min_column_width=220, vertical_alignment="bottom"):
        search = st.container()
        chosen = _filters(explorer)
        with st.container(gap="small"):
            expands = st.toggle(
                "A click expands",
                value=True,
                key="click-expands",
                help="On: a click on a node shows its neighbours too. Off: it only shows what is known about it.",
            )
            hypernodes = explorer.statements and st.toggle(
                "Show groups (hypernodes)",
                key="show-hypernodes",
                help="A hypernode is a whole triple that is a node itself, so that other triples can be about it.",
                persist_state="session",
            )
    notes = st.container()
    with search:
        _search(explorer, view, notes)
    if view is None:
        view = _suggested(explorer)
    if view is None:
        return
    with st.spinner("Drawing what is around it"):
        area = surroundings(explorer.store, view.expanded, **chosen, hypernodes=hypernodes, limit=view.limit)
    _draw(bench, explorer, view, area, expands=expands)


def _view(explorer: Explorer) -> View | None:
    """Return the view of this graph; it begins anew where the address names another node."""
    start = address.entity()
    if start in explorer.by_id:
        return _view_from(explorer, start)
    if start:
        st.warning("The entity in this address is not in this graph. Search for another one.")
    return None


def _view_from(explorer: Explorer, start: str) -> View:
    """Return the session's view of a graph if it begins at this node, else a new one."""
    key = f"view-{explorer.graph.id}"
    view: View | None = st.session_state.get(key)
    if view is None or view.start != start:
        view = st.session_state[key] = View(start, [start], start)
    return view


def _search(explorer: Explorer, view: View | None, notes: DeltaGenerator) -> None:
    key = f"entity-{explorer.graph.id}"

    def changed() -> None:
        if st.session_state[key] in explorer.by_id or not st.session_state[key]:
            write_param(address.ENTITY, st.session_state[key])

    if key not in st.session_state and view is not None:
        st.session_state[key] = view.start
    chosen = entity_search(explorer, "Entity", key, notes, changed)
    if chosen is not None and chosen.id != address.entity():
        write_param(address.ENTITY, chosen.id)
        st.rerun(scope="app")


def _suggested(explorer: Explorer) -> View | None:
    """Draw the best connected nodes to begin with; returns a view of the first, or None while they are counted."""
    numbers = graph_numbers(explorer)
    if numbers is None or not numbers.connected:
        return None
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="begin-with"):
        st.markdown("Begin with", width="content")
        for place, (node, degree) in enumerate(numbers.connected[:SUGGESTED]):
            st.button(
                f"{literal(node.name, 50)} :gray[{counted(degree, 'edge')}]",
                key=f"begin-{place}",
                on_click=_begin,
                args=(explorer, node.id),
            )
        if numbers.connected and len(explorer.by_id) <= DRAWN:
            st.button(
                f"The whole graph :gray[{counted(len(explorer.by_id), 'node')}]",
                key="begin-whole",
                icon=":material/hub:",
                on_click=_whole,
                args=(explorer, numbers.connected[0][0].id),
            )
    return _view_from(explorer, numbers.connected[0][0].id)


def _whole(explorer: Explorer, start: str) -> None:
    """Show all nodes, with one of them to begin with."""
    _begin(explorer, start)
    st.session_state["show-hypernodes"] = True
    st.session_state[f"view-{explorer.graph.id}"] = View(start, list(explorer.by_id), start)


def _begin(explorer: Explorer, ident: str) -> None:
    write_param(address.ENTITY, ident)
    st.session_state[f"entity-{explorer.graph.id}"] = ident


def _filters(explorer: Explorer) -> dict[str, list[str]]:
    """Return the relations, kinds and documents that the drawing is narrowed to; an empty list narrows nothing."""
    graph = explorer.graph
    chosen = {name: st.session_state.get(f"filter-{name}-{graph.id}") or [] for name in FILTERS}
    count = sum(map(len, chosen.values()))
    title = f"Filter ({count})" if count else "Filter"
    with popover(title, key="filters", icon=":material/filter_alt:", width="stretch") as opened:
        if opened.open:
            offered = awaited(
                "filters", (graph.id, graph.version), lambda: filters(explorer.store), "Counting"
            )
            if offered is not None:
                return {name: _filter(explorer, name, offered) for name in chosen}
    return chosen


def _filter(explorer: Explorer, name: str, offered: Filters) -> list[str]:
    counts = {count.name: count.count for count in getattr(offered, name) if count.name or name == "kinds"}

    def label(value: str) -> str:
        shown = value.replace("_", " ") if name == "relations" else value
        return f"{shown or 'not known'} ({counts.get(value, 0):,})"

    picked: list[str] = st.multiselect(
        name.capitalize(),
        list(counts),
        format_func=label,
        key=f"filter-{name}-{explorer.graph.id}",
        placeholder="All" if counts else "None in this graph",
        disabled=not counts,
        persist_state="session",
    )
    return picked


def _draw(bench: Workbench, explorer: Explorer, view: View, area: Surroundings, *, expands: bool) -> None:
    native = explorer.graph.native
    network = neighbourhood_network(area, view.start, view.chosen, native)
    st.session_state[DRAWING] = (explorer.graph.id, network)
    main, side = st.columns([2.3, 1], gap="medium")
    with main, st.container(key="knowledge-drawing"):
        clicked = draw_network(network, f"explore-{explorer.graph.id}", height=520)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.caption(shown_line(area), width="content")
            if area.hidden and view.limit < DRAWN:
                st.button(
                    "Show all", key="show-all", type="tertiary", icon=":material/hub:", on_click=view.show_all
                )
        reading_aid(
            "A dot is an entity, in the colour of its kind; an arrow is a triple. Click one to see its source. "
            "▶ is where the drawing begins, ✓ what is shown beside it. A name without room appears when you zoom in, "
            "or when you point at its node or arrow."
        )
    if clicked is not None:
        again = clicked.key == view.chosen
        view.chosen = clicked.key
        if clicked.what == "node" and expands:
            if again and clicked.key in view.expanded:
                view.collapse(clicked.key)
            else:
                view.expand(clicked.key)
        st.rerun(scope="fragment")
    with side, st.container(key="knowledge-details"):
        edge = next((edge for edge in area.edges if edge.key == view.chosen), None)
        seen = next((seen for seen in area.nodes if seen.node.id == view.chosen), None)
        if edge is not None:
            draw_edge(bench, explorer, edge, area)
        elif seen is not None:
            node_head(explorer, seen)
            _moves(explorer, view, seen.node)
            draw_node(bench, explorer, seen, area)
        else:
            st.info("Click a node or an edge in the drawing.", icon=":material/ads_click:")


def _moves(explorer: Explorer, view: View, node: NodeRecord) -> None:
    """Draw the buttons for the chosen node."""
    with st.container(horizontal=True, gap="small", key="node-moves"):
        if node.id not in view.expanded:
            st.button(
                "Expand", key="node-expand", icon=":material/add:", on_click=view.expand, args=(node.id,)
            )
        elif len(view.expanded) > 1 or node.id != view.start:
            st.button(
                "Collapse",
                key="node-collapse",
                icon=":material/remove:",
                on_click=view.collapse,
                args=(node.id,),
            )
        if node.id != view.start:
            st.button(
                "Begin here",
                key="node-begin",
                icon=":material/my_location:",
                on_click=_begin,
                args=(explorer, node.id),
                help="Draws this node and its neighbours alone.",
            )
        walking = (kind for kind in strategies().values() if kind.explores and not kind.retrieves)
        strategy = next(walking, None)
        if strategy and st.button(
            "Ask about it",
            key="node-ask",
            icon=":material/forum:",
            on_click=_ask,
            args=(explorer, node, strategy.key),
            help=f"Opens the Playground with {strategy.title} and this graph.",
        ):
            leave_for("pages/playground.py")


def _ask(explorer: Explorer, node: NodeRecord, strategy: str) -> None:
    """Fill in the form of the Playground."""
    st.session_state["strategy"] = strategy
    st.session_state["graph"] = explorer.graph.name  # a fragment's redraw alone would not carry it over
    st.session_state["question"] = f"What is known about {node.name}?"


# The drawing


def neighbourhood_network(area: Surroundings, start: str, chosen: str, native: bool) -> Network:
    """Return the drawing of an area that began with the node `start`, by its id; the node or edge with the key `chosen`
    is lit. A `native` graph has labels of its own, and so no hypernodes."""

    def state(key: str) -> State:
        return "start" if key == start else "chosen" if key == chosen else ""

    nodes = tuple(
        NetworkNode(
            seen.node.id,
            seen.node.name,
            seen.node.kind,
            seen.degree,
            hypernode=not native and seen.node.kind == STATEMENT,
            state=state(seen.node.id),
        )
        for seen in area.nodes
    )
    edges: dict[tuple[str, ...], NetworkEdge] = {}
    for edge in area.edges:
        # One arrow for all chunks that state a triple.
        triple = (edge.src, edge.type, edge.rel, edge.dst)
        if triple not in edges or edge.key == chosen:
            part = not native and edge.type in PARTS
            edges[triple] = NetworkEdge(edge.key, edge.src, edge.dst, edge.rel, part, state(edge.key))
    return Network(nodes, tuple(edges.values()))


def shown_line(area: Surroundings) -> str:
    """Return the numbers of what is drawn and of what is not, and the way to see the rest."""
    line = f"{counted(len(area.nodes), 'node')} and {counted(len(area.edges), 'edge')} are drawn."
    if area.hidden:
        those = (
            f"{area.hidden:,} least connected neighbours are"
            if area.hidden > 1
            else "least connected neighbour is"
        )
        line += f" The {those} hidden. Filter, or collapse a node."
    if area.edges_cut:
        line += " There are more edges between them than can be drawn."
    return line
