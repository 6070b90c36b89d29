"""Duplicates of a graph: proposals with their triples side by side, merging, and undoing it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError

import streamlit as st

from core.knowledge.build.resolution import NEAR, Proposals
from core.knowledge.store.aliases import Merge
from core.knowledge.store.graph_catalogue import Graph
from core.runs.sources.duplicate_jobs import DuplicateSearch, MergeJob
from core.runs.workbench import Workbench
from core.ui.fixes.ticking import ticking
from core.ui.knowledge.duplicates_view import merge_detail
from core.ui.knowledge.pairs import draw_merged, draw_notice, draw_proposals, state_key, undo, watch_merging
from core.ui.shell import session
from core.ui.shell.progress import TICK_SECONDS, problem
from core.ui.shell.safe import literal
from core.ui.shell.theme import reading_aid

LISTED_MERGES = 25


def duplicates_section(bench: Workbench, graph_name: str) -> None:
    """Look for duplicates of the graph of this name, decide, and see what was merged.

    Raises:
        InputError: There is no such graph.
        ServiceError, StoreError: The graph server or the catalogue cannot be used.
    """
    graph = bench.graphs.graphs.catalogue.graph(graph_name)
    if graph.native:
        st.info(
            "This graph has a schema of its own, so its nodes cannot be merged. Choose a graph made of triples."
        )
        return
    merges = bench.graphs.graphs.aliases.merges(graph.id)
    reading_aid(
        "A model writes one thing in several ways, and each becomes an entity of its own. Merging two gives all edges "
        "to the one that stays. It can be undone."
    )
    draw_notice(graph)
    busy: MergeJob | None = st.session_state.get(state_key("merging", graph))
    if busy is not None and not busy.done:
        watch_merging(busy)
        return
    if busy is not None:
        draw_merged(busy)
    _search(bench, graph)
    found = _found(graph)
    if found is not None:
        draw_proposals(bench, graph, found, merges)
    _merges(bench, graph, merges)


# Looking for them


def _search(bench: Workbench, graph: Graph) -> None:
    """The button that looks, and how far that is."""
    job: DuplicateSearch | None = st.session_state.get(state_key("search", graph))
    if job is not None and not job.done:
        _watch_search(job)
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        looked = st.button(
            "Find duplicates" if job is None else "Look again",
            key="duplicates-find",
            type="primary" if job is None else "secondary",
            icon=":material/join_inner:",
        )
        meaning = st.toggle(
            "Compare meanings too",
            value=True,
            key="duplicates-meaning",
            persist_state="session",
            help="Names are embedded and compared by cosine. Without it, only the writing is compared, at once.",
        )
        near = st.slider(
            "Least similarity",
            0.70,
            0.99,
            NEAR,
            0.01,
            key="duplicates-near",
            disabled=not meaning,
            width=240,
            persist_state="session",
            help="Cosine between two names from which they are proposed. Lower: more pairs, more of them wrong.",
        )
    if looked:
        search = DuplicateSearch(bench.graphs, graph.name, meaning=meaning, near=near)
        st.session_state[state_key("search", graph)] = search
        st.rerun()


@ticking(TICK_SECONDS)
def _watch_search(job: DuplicateSearch) -> None:
    st.progress(min(1.0, job.share), text=literal(job.message))
    st.button("Stop", key="duplicates-stop", icon=":material/stop:", on_click=job.stop)
    if job.done:
        st.rerun()


def _found(graph: Graph) -> Proposals | None:
    """What was found, if the search has come to its end."""
    job: DuplicateSearch | None = st.session_state.get(state_key("search", graph))
    if job is None or not job.done:
        return None
    if error := job.error():
        st.error(literal(problem(error)), title="The graph could not be searched")
        return None
    try:
        return job.result()
    except CancelledError:
        st.warning("Stopped. Nothing was changed.")
        return None


def _merges(bench: Workbench, graph: Graph, merges: Sequence[Merge]) -> None:
    """What was merged, each with Undo; the last one first, since only it can surely be undone."""
    if not merges:
        return
    st.markdown(f"### Merged so far: {len(merges):,}")
    for one in list(reversed(merges))[:LISTED_MERGES]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"merged-{one.id}"):
            text = f"{literal(one.gone.name, 100)} → **{literal(one.keep.name, 100)}**"
            st.markdown(f"{text} :gray[:small[{literal(merge_detail(one))}]]", width="stretch")
            if session.user(bench).may_change(graph.owner):
                st.button(
                    "Undo",
                    key=f"undo-{one.id}",
                    icon=":material/undo:",
                    type="tertiary",
                    on_click=undo,
                    args=(bench, graph, one.id),
                )
    if len(merges) > LISTED_MERGES:
        st.caption(f"{len(merges) - LISTED_MERGES:,} earlier ones come up here when later ones are undone.")
