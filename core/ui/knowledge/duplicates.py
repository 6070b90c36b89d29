"""Duplicates of a graph: proposals with their triples side by side, merging, and undoing it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import streamlit as st

from core.errors import InputError, LoupeError
from core.jobs import run_blocking
from core.knowledge.build.merging import merge, unmerge
from core.knowledge.build.resolution import NEAR, ComparedEntity, Proposal, Proposals
from core.knowledge.store.aliases import Merge, survivors
from core.knowledge.store.graph_catalogue import Graph
from core.runs.sources.duplicate_jobs import DuplicateSearch, MergeJob
from core.runs.workbench import Workbench
from core.ui.knowledge.triples import TripleColumn, draw_triples, neighbour_columns
from core.ui.shell import session
from core.ui.shell.progress import result_of, watch
from core.ui.shell.safe import literal
from core.ui.shell.widgets import problem, reading_aid
from core.wording import counted

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
    _draw_notice(graph)
    busy: MergeJob | None = st.session_state.get(_state_key("merging", graph))
    if busy is not None and not busy.done:
        watch(busy, lambda: _merged_share(busy), stop="duplicates-merging-stop")
        return
    if busy is not None:
        _draw_merged(busy)
    _search(bench, graph)
    result = _search_result(graph)
    if result is not None:
        _draw_proposals(bench, graph, result, merges)
    _merges(bench, graph, merges)


# Looking for them


def _search(bench: Workbench, graph: Graph) -> None:
    """Draw the button that starts the search, and its progress."""
    job: DuplicateSearch | None = st.session_state.get(_state_key("search", graph))
    if job is not None and not job.done:
        watch(job, lambda: (job.share, job.message), stop="duplicates-stop")
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
        st.session_state[_state_key("search", graph)] = search
        st.rerun()


def _search_result(graph: Graph) -> Proposals | None:
    """Return the proposals that were found, if the search has come to its end."""
    job: DuplicateSearch | None = st.session_state.get(_state_key("search", graph))
    if job is None or not job.done:
        return None
    return result_of(job, "The graph could not be searched", "Stopped. Nothing was changed.")


def _merges(bench: Workbench, graph: Graph, merges: Sequence[Merge]) -> None:
    """Draw the merges so far, each with Undo; the last one first, since only it can surely be undone."""
    if not merges:
        return
    st.markdown(f"### Merged so far: {len(merges):,}")
    for past in list(reversed(merges))[:LISTED_MERGES]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"merged-{past.id}"):
            text = f"{literal(past.gone.name, 100)} → **{literal(past.keep.name, 100)}**"
            st.markdown(f"{text} :gray[:small[{literal(merge_detail(past))}]]", width="stretch")
            if session.user(bench).may_change(graph.owner):
                st.button(
                    "Undo",
                    key=f"undo-{past.id}",
                    icon=":material/undo:",
                    type="tertiary",
                    on_click=_undo,
                    args=(bench, graph, past.id),
                )
    if len(merges) > LISTED_MERGES:
        st.caption(f"{len(merges) - LISTED_MERGES:,} earlier ones come up here when later ones are undone.")


# Deciding on proposals: two entities with what the graph says of each, Merge or Not the same

PER_PAGE = 6
SHOWN_TRIPLES = 4
"""Triples of each entity that are shown."""
LOOKED_AT = 30
"""Edges of an entity that are read for them."""
LISTED_SAFE = 12
NOT_YOURS = "Only whoever made this graph, and the teacher, can merge: everybody uses it."


def _state_key(name: str, graph: Graph) -> str:
    """Return the key in the session of something about the duplicates of a graph."""
    return f"duplicates-{name}-{graph.id}"


def _draw_proposals(bench: Workbench, graph: Graph, result: Proposals, merges: Sequence[Merge]) -> None:
    """Draw the proposals that are still to be decided, some at a time."""
    dismissed: set[Pair] = st.session_state.setdefault(_state_key("dismissed", graph), set())
    may = session.user(bench).may_change(graph.owner)
    left = open_proposals(result.proposals, merges, dismissed)
    count = f"{counted(len(left), 'pair')} to decide" if left else "Nothing to decide"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"### {count}", width="content")
        if may:
            _all_safe(bench, graph, [proposal for proposal in left if proposal.safe])
    st.caption(search_line(result))
    if left and not may:
        st.caption(f":material/lock: {NOT_YOURS}")
    pages = -(-len(left) // PER_PAGE)
    page = 1
    if pages > 1:
        page = min(pages, st.pagination(pages, key=f"{_state_key('page', graph)}-{pages}"))
    for proposal in left[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _proposal(bench, graph, proposal, dismissed)


def _all_safe(bench: Workbench, graph: Graph, safe: Sequence[Proposal]) -> None:
    """Merge at once what differs in nothing that matters, after a look at the list."""
    if len(safe) < 2:
        return
    with st.popover(f"Merge all {len(safe)} safe ones", icon=":material/done_all:", key="duplicates-safe"):
        st.markdown("These differ in case, accents, punctuation, an article, blanks or hyphens only.")
        lines = [
            f"- {literal(proposal.duplicate.name, 80)} → **{literal(proposal.keep.name, 80)}**"
            for proposal in safe[:LISTED_SAFE]
        ]
        if len(safe) > LISTED_SAFE:
            lines.append(f"- and {len(safe) - LISTED_SAFE:,} more")
        st.markdown("\n".join(lines))
        if st.button(f"Merge these {len(safe)}", key="duplicates-safe-sure", type="primary"):
            st.session_state[_state_key("merging", graph)] = MergeJob(
                bench.graphs.graphs, graph.name, safe, session.user(bench)
            )
            st.rerun()


def _merged_share(job: MergeJob) -> tuple[float, str]:
    """Return the share of the pairs that are through, and a line that says it."""
    return job.passed / max(1, job.total), f"Merging: {job.passed:,} of {job.total:,} pairs"


def _draw_merged(job: MergeJob) -> None:
    """Draw the outcome of merging many."""
    if error := job.error():
        st.error(literal(problem(error)), title="Not all could be merged")
    if job.merged.done:
        count = len(job.merged.done)
        undo_each = " Each can be undone below." if count > 1 else ""
        st.success(f"{count:,} merged.{undo_each}", icon=":material/check:")
    for proposal, reason in job.merged.refused:
        title = f"{literal(proposal.duplicate.name, 60)} stays as it is"
        st.warning(literal(reason), title=title, icon=":material/block:")


def _proposal(bench: Workbench, graph: Graph, proposal: Proposal, dismissed: set[Pair]) -> None:
    """Draw two entities, what the graph says of each, and the decision."""
    mark = f"{graph.id}-{' '.join(sorted(pair(proposal)))}"
    with st.container(border=True, gap="small", key=f"pair-{mark}"):
        safe = " :green-badge[:material/verified: safe]" if proposal.safe else ""
        st.markdown(f":material/join_inner: {literal(reason_text(proposal))}{safe}")
        draw_triples(_columns(bench, graph, proposal), f"pair-{mark}")
        with st.container(horizontal=True, gap="small"):
            if session.user(bench).may_change(graph.owner):
                st.button(
                    f"Merge into “{literal(proposal.keep.name, 40)}”",
                    key=f"merge-{mark}",
                    icon=":material/merge:",
                    on_click=_merge,
                    args=(bench, graph, proposal),
                )
            st.button(
                "Not the same",
                key=f"dismiss-{mark}",
                icon=":material/call_split:",
                on_click=dismissed.add,
                args=(pair(proposal),),
                help="Not proposed again in this browser session.",
            )


def _columns(bench: Workbench, graph: Graph, proposal: Proposal) -> Sequence[TripleColumn]:
    store, both = bench.graphs.graphs.store(graph), (proposal.keep, proposal.duplicate)
    try:
        neighbourhoods = [store.neighbourhood(entity.id, LOOKED_AT) for entity in both]
    except InputError:
        gone = "One of these is not in the graph any more. Look again."
        return [TripleColumn((), entity.name, gone) for entity in both]
    return neighbour_columns(neighbourhoods, SHOWN_TRIPLES)


# Changing the graph; called before the page is drawn


def _merge(bench: Workbench, graph: Graph, proposal: Proposal) -> None:
    graphs = bench.graphs.graphs
    keep, gone, user = proposal.keep, proposal.duplicate, session.user(bench)
    _change(
        graph,
        lambda: run_blocking(merge(graphs, graph, keep.id, gone.id, proposal.reason, user)),
        f"“{gone.name}” is “{keep.name}” now.",
    )


def _undo(bench: Workbench, graph: Graph, ident: str) -> None:
    """Undo a merge, or keep for `_draw_notice` why that is not possible."""
    graphs, user = bench.graphs.graphs, session.user(bench)
    _change(
        graph,
        lambda: run_blocking(unmerge(graphs, graph, ident, user)),
        "Undone. Both entities are as they were before.",
    )


def _change(graph: Graph, change: Callable[[], object], done: str) -> None:
    st.session_state.pop(_state_key("merging", graph), None)
    try:
        change()
    except LoupeError as error:
        st.session_state[_state_key("notice", graph)] = (False, str(error))
    else:
        st.session_state[_state_key("notice", graph)] = (True, done)


def _draw_notice(graph: Graph) -> None:
    """Draw the outcome of the last change, once."""
    notice: tuple[bool, str] | None = st.session_state.pop(_state_key("notice", graph), None)
    if notice is not None:
        well, text = notice
        (st.success if well else st.error)(
            literal(text), icon=":material/check:" if well else ":material/error:"
        )


# Proposals that are still open, and what is known of each. All text is raw

Pair = frozenset[str]
"""Ids of two entities."""


def pair(proposal: Proposal) -> Pair:
    """Return the two entities that a proposal is about."""
    return frozenset((proposal.keep.id, proposal.duplicate.id))


def open_proposals(
    proposals: Iterable[Proposal], merges: Iterable[Merge], dismissed: Collection[Pair]
) -> list[Proposal]:
    """Return the proposals that are still to be decided, in their order.

    Where an entity of a pair has been merged since, what it is part of now takes its place; of pairs that become the
    same, the first stays.
    """
    merges = list(merges)
    stays, names = survivors(merges), {merged.keep.id: merged.keep for merged in merges}

    def now(entity: ComparedEntity) -> ComparedEntity:
        keep = stays.get(entity.id)
        if keep is None:
            return entity
        return ComparedEntity(id=keep, name=names[keep].name, kind=names[keep].kind, edges=entity.edges)

    still_open: dict[Pair, Proposal] = {}
    for proposal in proposals:
        if pair(proposal) in dismissed:
            continue
        moved = proposal.model_copy(update={"keep": now(proposal.keep), "duplicate": now(proposal.duplicate)})
        if moved.keep.id != moved.duplicate.id and pair(moved) not in dismissed:
            still_open.setdefault(pair(moved), moved)
    return list(still_open.values())


def search_line(result: Proposals) -> str:
    """Return the names that the search compared, in words."""
    text = f"{result.entities:,} entities compared by how their names are written"
    if result.compared == result.entities:
        return f"{text} and by what they mean."
    if not result.compared:
        return f"{text}."
    return f"{text}, and the {result.compared:,} with the most edges by what they mean."


def reason_text(proposal: Proposal) -> str:
    """Return the reason for which two are proposed."""
    return proposal.reason[:1].upper() + proposal.reason[1:]


def merge_detail(merge: Merge) -> str:
    """Return the edges that a merge moved, and the reason for it."""
    return f"{counted(len(merge.moved), 'edge')} moved; {merge.reason or 'by hand'}"
