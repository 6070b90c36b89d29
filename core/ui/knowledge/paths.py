"""The sections Paths, how two entities are connected, and Playback, a stored KG-RAG run of this graph step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import streamlit as st

from core.cards.texts import doubted
from core.drawings.network import Network, NetworkEdge, NetworkNode, State
from core.errors import StoreError
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import EdgeRecord, PathRecord, relation_arrow
from core.knowledge.store.graph_store import MAX_HOPS
from core.knowledge.triples import PARTS, STATEMENT
from core.runs.record import record
from core.runs.store import RunEntry, RunFilter
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.knowledge.search import entity_search
from core.ui.knowledge.statistics import graph_numbers
from core.ui.knowledge.work import awaited
from core.ui.run.network import draw_network, draw_playback
from core.ui.shell import address, session
from core.ui.shell.local_time import moment
from core.ui.shell.safe import answer_markdown, literal
from core.ui.shell.widgets import reading_aid
from core.wording import counted

MOST_PATHS = 20
COLUMN, ROW = 280, 110
"""Between the nodes of neighbouring hops, and between paths, in units of the drawing."""
TRIED = 5
"""Nodes, those with the most edges, among which an example is looked for."""


@st.fragment
def paths_section(bench: Workbench, explorer: Explorer) -> None:
    """Draw the choice of two entities, the paths between them as a list, and a drawing with the chosen one lit."""
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
    _fill_in(explorer)
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
        lambda: distinct_paths(explorer.store.paths(source.id, target.id, hops, limit=MOST_PATHS)),
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
        f"The {len(paths)} shortest paths" if len(paths) >= MOST_PATHS else "Paths, the shortest first",
        range(len(paths)),
        format_func=lambda place: f"{paths[place].hops} · {literal(path_line(paths[place]), 240)}",
        key=f"path-{graph.id}-{source.id}-{target.id}-{hops}",
    )
    draw_network(paths_network(paths, chosen), f"paths-{source.id}-{target.id}-{hops}", height=460)
    reading_aid(
        "Paths run from ▶ to the right. The lit one is chosen in the list; the number before a path is its hops."
    )


def _fill_in(explorer: Explorer) -> None:
    """Fill in two entities to begin with, once per graph."""
    graph = explorer.graph
    keys, done = [f"path-from-{graph.id}", f"path-to-{graph.id}"], f"path-example-{graph.id}"
    if done in st.session_state or any(st.session_state.get(key) for key in keys):
        return
    numbers = graph_numbers(explorer)
    if numbers is None:
        return
    nodes = [node.id for node, _ in numbers.connected[:TRIED]]
    found = awaited(
        "example", (graph.id, graph.version), lambda: example_ends(explorer, nodes), "Looking for an example"
    )
    if found is not None:
        st.session_state[done] = True
        st.session_state.update(zip(keys, found, strict=False))


def example_ends(explorer: Explorer, nodes: Sequence[str]) -> tuple[str, ...]:
    """Return two of these nodes whose shortest path is the longest; empty: no two are connected."""
    found: dict[int, tuple[str, str]] = {}
    for ends in combinations(nodes, 2):
        if shortest := explorer.store.paths(*ends, 3, limit=1):
            found.setdefault(shortest[0].hops, ends)
    return found[max(found)] if found else ()


def distinct_paths(paths: Sequence[PathRecord]) -> list[PathRecord]:
    """Return each path once: the same triple stated by several chunks makes no other path."""
    distinct: dict[tuple[str, ...], PathRecord] = {}
    for path in paths:
        distinct.setdefault((*(node.id for node in path.nodes), *map(_edge_key, path.edges)), path)
    return list(distinct.values())


def path_line(path: PathRecord) -> str:
    """Return a path in one line, each arrow in the direction of its edge; raw text."""
    parts = [path.nodes[0].name]
    for before, edge, node in zip(path.nodes, path.edges, path.nodes[1:], strict=False):
        relation = edge.rel.lower() if edge.type in PARTS else edge.rel
        parts += [relation_arrow(relation, "out" if edge.src == before.id else "in"), node.name]
    return " ".join(parts)


def paths_network(paths: Sequence[PathRecord], chosen: int | None) -> Network:
    """Return all paths together, from left to right; the one at index `chosen` is lit, and the start is marked."""
    lit = paths[chosen] if chosen is not None and 0 <= chosen < len(paths) else None
    lit_nodes = {node.id for node in lit.nodes} if lit else set()
    lit_edges = {_edge_key(edge) for edge in lit.edges} if lit else set()
    nodes: dict[str, NetworkNode] = {}
    edges: dict[str, NetworkEdge] = {}
    places = _places(paths)
    for path in paths:
        for node in path.nodes:
            state: State = (
                "start" if node.id == paths[0].nodes[0].id else "path" if node.id in lit_nodes else ""
            )
            hypernode = node.kind == STATEMENT
            x, y = places[node.id]
            nodes[node.id] = NetworkNode(
                node.id, node.name, node.kind, hypernode=hypernode, state=state, x=x, y=y
            )
        for edge in path.edges:
            key = _edge_key(edge)
            state = "path" if key in lit_edges else ""
            edges[key] = NetworkEdge(key, edge.src, edge.dst, edge.rel, edge.type in PARTS, state)
    return Network(tuple(nodes.values()), tuple(edges.values()))


def _places(paths: Sequence[PathRecord]) -> dict[str, tuple[float, float]]:
    """Return where each node is drawn: a column for each hop, the first path in the middle row, each other node in the
    nearest free row of its column."""
    longest = max((path.hops for path in paths), default=0)
    rows = Counter[float]()
    places: dict[str, tuple[float, float]] = {}
    for number, path in enumerate(paths):
        for hop, node in enumerate(path.nodes):
            if node.id in places:
                continue
            column = longest * hop / path.hops
            row = max(rows[column], number and 1)  # the middle is for the first path, also between its nodes
            rows[column] = row + 1
            side = 1 if row % 2 else -1
            places[node.id] = column * COLUMN, side * ((row + 1) // 2) * ROW
    return places


def _edge_key(edge: EdgeRecord) -> str:
    """Return a key for all edges that say the same, whoever states it; lengths in front, since names hold any sign."""
    return "".join(f"{len(part)}:{part}" for part in (edge.src, edge.type, edge.rel, edge.dst))


LISTED = 50


def playback_section(bench: Workbench, explorer: Explorer) -> None:
    """Choose one of this browser's runs and play it."""
    # Those that search documents too ask the graph by queries: there is no way through it to play.
    walking = {key: kind.title for key, kind in strategies().items() if kind.explores and not kind.retrieves}
    entries = {
        entry.id: entry
        for entry in bench.store.list(
            RunFilter(owners=session.owners(bench), strategies=list(walking), graph=explorer.graph.name),
            LISTED,
        )
        if entry.state != "running"
    }
    if not entries:
        names = literal(" or ".join(walking.values()))
        st.info(
            f"No run{f' of {names}' if names else ''} has explored this graph yet. "
            "Ask it a question, then replay the walk on this page."
        )
        st.page_link("pages/playground.py", label="Open the Playground", icon=":material/science:")
        return
    chosen = st.selectbox(
        "Run",
        list(entries),
        format_func=lambda run: f"{entries[run].title[:120]} · {moment(entries[run].created)}",
        key=f"playback-run-{explorer.graph.id}",
        help=f"Your newest runs of this graph, at most {LISTED}.",
    )
    _play(bench, entries[chosen])


@st.fragment
def _play(bench: Workbench, entry: RunEntry) -> None:
    try:
        run = record(bench.store.events(entry.id))
    except StoreError as error:
        st.error(literal(str(error)), title="This run cannot be shown", icon=":material/error:")
        return
    known = strategies().get(entry.strategy)
    artefacts = [artefact for _, artefact in run.artefacts]
    if not draw_playback(artefacts, entry.id, colour=known.colour if known else "#0072B2"):
        st.info("This run ended before its first step through the graph: there is nothing to play.")
    if run.answer is not None:
        st.markdown(f"**Answer:** {answer_markdown(doubted(run.answer.text, run.answer))}")
    st.page_link(
        "pages/runs.py", label="Open the run", icon=":material/history:", query_params={address.RUN: entry.id}
    )
