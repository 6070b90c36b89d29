"""The section Playback: a stored KG-RAG run of this graph, step by step."""

from __future__ import annotations

import streamlit as st

from core.cards.texts import doubted
from core.errors import StoreError
from core.knowledge.explore.explorer import Explorer
from core.runs.record import record
from core.runs.store import RunEntry, RunFilter
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.run.network import draw_playback
from core.ui.shell import address, session
from core.ui.shell.local_time import moment
from core.ui.shell.safe import answer_markdown, literal

LISTED = 50


def playback_section(bench: Workbench, explorer: Explorer) -> None:
    """Choose one of this browser's runs and play it."""
    # Those that search documents too ask the graph by queries: there is no way through it to play.
    walking = {key: one.title for key, one in strategies().items() if one.explores and not one.retrieves}
    entries = {
        entry.id: entry
        for entry in bench.store.list(
            RunFilter(owners=session.owners(bench), strategies=list(walking), graph=explorer.graph.name),
            LISTED,
        )
        if entry.state != "running"
    }
    if not entries:
        asked = literal(" or ".join(walking.values()))
        st.info(
            f"No run{f' of {asked}' if asked else ''} has explored this graph yet. "
            "Ask it a question, then play its way back here."
        )
        st.page_link("pages/playground.py", label="Open the Playground", icon=":material/science:")
        return
    chosen = st.selectbox(
        "Run",
        list(entries),
        format_func=lambda run: _label(entries[run]),
        key=f"playback-run-{explorer.graph.id}",
        help=f"Your newest runs of this graph, at most {LISTED}.",
    )
    _play(bench, entries[chosen])


def _label(entry: RunEntry) -> str:
    return f"{entry.title[:120]} · {moment(entry.created)}"


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
