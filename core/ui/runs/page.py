"""The page Runs: list them, open one, replay it, export it, import one; and the recordings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.replay import narration, takes
from core.cards.status import stopped_before
from core.cards.texts import named
from core.errors import StoreError
from core.jobs import run_blocking
from core.runs.gallery import OWNER, label
from core.runs.record import Record, record
from core.runs.store import STATES, RunEntry, RunFilter
from core.runs.workbench import Workbench
from core.strategies import node_titles, strategies
from core.trace.events import Event, RunStarted
from core.ui.fixes.ticking import ticking
from core.ui.run import citations, scrubber
from core.ui.run.citations import follow
from core.ui.run.files import export_buttons, import_section
from core.ui.run.live import say_missing
from core.ui.run.scrubber import Said
from core.ui.run.whole_run import compare_link, draw_run
from core.ui.runs.erasing import erase_mine
from core.ui.runs.recordings import RECORDINGS, SHOWN, list_recordings, open_recording
from core.ui.shell import address, session
from core.ui.shell.changing import change
from core.ui.shell.hand_in import offer_hand_in
from core.ui.shell.hand_out import offer_hand_out
from core.ui.shell.listing import MARKS, PINNED, listing, pin_mark, pins
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import choice, copy_link, errors_shown

LISTED = 300
GALLERY = "runs-gallery"
"""Key of the toggle for the runs that come with the app."""
DELETED = "Its events are deleted for good. An exported file can be imported again."


@errors_shown()
def page() -> None:
    """Draw one of the two lists, or the run or recording in the address."""
    bench = framed()
    if run := st.query_params.get(address.RUN):
        _open(bench, run)
    elif recording := st.query_params.get(address.RECORDING):
        open_recording(bench, recording)
    else:
        _list(bench)


# The list


def _list(bench: Workbench) -> None:
    st.header("Runs", anchor=False)
    if choice("What is listed", ["Runs", RECORDINGS], SHOWN, persist_state="session") == RECORDINGS:
        list_recordings(bench)
        return
    session.gallery(bench)
    wanted = _filters(bench)
    entries = bench.store.list(wanted, LISTED)
    own = [entry for entry in entries if entry.owner != OWNER]
    gallery = [entry for entry in entries if entry.owner == OWNER]
    if entries and st.session_state.get(GALLERY, True):
        _table([*own, *gallery])
    elif own:
        _table(own)
    elif wanted == RunFilter(owners=wanted.owners):
        st.info("No run is stored yet. Ask a question in the Playground, or import a file below.")
    else:
        st.info("No run fits these filters. Remove one to see more.")
    import_section(bench)
    erase_mine(bench)


def _filters(bench: Workbench) -> RunFilter:
    known = strategies()
    with st.grid(4, min_column_width=200, vertical_alignment="bottom"):
        text = st.text_input("Search", key="runs-text", placeholder="Words of the question or the name")
        chosen = st.multiselect(
            "Strategy", list(known), format_func=lambda key: known[key].title, key="runs-strategy"
        )
        states = st.multiselect("State", STATES, format_func=lambda state: MARKS[state], key="runs-state")
        with st.container(gap=None):
            pinned = st.toggle("Pinned only", key="runs-pinned", help="Pinned runs are shown to everybody.")
            st.toggle("Gallery", True, key=GALLERY, help="The runs that come with the app, after your own.")
    return RunFilter(
        owners=session.owners(bench), strategies=tuple(chosen), states=tuple(states), text=text, pinned=pinned
    )


def _table(entries: Sequence[RunEntry]) -> None:
    known = strategies()
    recorded = any(entry.recording for entry in entries)
    place = listing(
        "runs",
        {
            "Question or name": [entry.title for entry in entries],
            "Strategy": [
                known[entry.strategy].title if entry.strategy in known else entry.strategy
                for entry in entries
            ],
            "Searched": [named(entry.corpus or entry.graph) or "nothing" for entry in entries],
            "Asked": [entry.created for entry in entries],
            "State": [MARKS[entry.state] + (", forked" if entry.parent else "") for entry in entries],
            "Seconds": [entry.seconds for entry in entries],
            **({"Recording": [_recording(entry) for entry in entries]} if recorded else {}),
            PINNED: pins(entries),
        },
        alt="Stored runs",
        hint="Click a run to open it, replay it, name it or export it.",
        config={
            "Question or name": 300,
            "Strategy": 135,
            "Searched": st.column_config.Column(width=135, help="Documents, or a knowledge graph."),
            "State": st.column_config.Column(
                width=110, help="Forked: it went on from a changed step of another run."
            ),
            "Seconds": st.column_config.NumberColumn(
                format="%.1f", width=80, help="From the beginning of the first step to the last event."
            ),
            "Recording": st.column_config.Column(
                width=100,
                help="The recording that a run began to play, or kept replies in: its seconds are then no measurement. "
                "“Else”: who gives replies that it lacks; the run says which.",
            ),
        },
        tall=True,
    )
    if len(entries) == LISTED:
        st.caption(f"The newest {LISTED} are listed; filter to see older ones.")
    if place is not None:
        st.query_params[address.RUN] = entries[place].id
        st.rerun()


def _recording(entry: RunEntry) -> str:
    other = {"builtin": ", else the built-in model", "endpoint": ", else the endpoint"}
    return f"{entry.recording}{other.get(entry.missing, '')}"


# One run


def _open(bench: Workbench, run: str) -> None:
    scroll_place("runs")
    if st.button("All runs", key="all-runs", icon=":material/arrow_back:", type="tertiary"):
        citations.close_all()
        del st.query_params[address.RUN]
        st.rerun()
    try:
        entry = bench.store.entry(run)
        events = bench.store.events(run)
    except StoreError as error:
        say_missing(error)
        return
    st.header(f"{pin_mark(pinned=entry.pinned)}{literal(entry.title, 120)}", anchor=False)
    shown = record(events)
    if entry.owner == OWNER and shown.started:
        st.caption(f":material/photo_library: {literal(label(shown.started))}.")
    _actions(bench, entry, events)
    if entry.state == "running":
        st.info(
            "This run is still going on. Open it in the Playground to watch it.",
            icon=":material/play_circle:",
        )
        draw_run(shown)
    else:
        _draw_replay(entry, events, session.parent(bench, shown))


def _actions(bench: Workbench, entry: RunEntry, events: Sequence[Event]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="run-actions"):
        st.page_link(
            "pages/playground.py",
            label="Open in the Playground",
            icon=":material/science:",
            query_params={address.RUN: entry.id},
        )
        compare_link(entry.id)
        copy_link(address.RUN, entry.id, "run")
        export_buttons(bench, entry, events)
        offer_hand_out(bench, run=entry.id)
        offer_hand_in(bench, "run", entry.id, entry.owner)
        still, empty = entry.state != "running", entry.question

        def remove() -> None:
            run_blocking(bench.launcher.delete(entry.id))

        if change(
            bench, bench.store, entry, "run", "run", DELETED, empty=empty, deletable=still, remove=remove
        ):
            address.forget(address.RUN, entry.id)
            st.rerun()


def _draw_replay(entry: RunEntry, events: Sequence[Event], parent: Record | None) -> None:
    """Draw the run as it was at a scene, and the controls docked below it; `parent` is the run that a fork left, if it
    is stored."""
    started = events[0]
    if not isinstance(started, RunStarted):
        return
    tick = scrubber.tick(started.run)
    ticking(tick)(_replay)(entry, events, started, parent, tick is not None)


def _replay(
    entry: RunEntry, events: Sequence[Event], started: RunStarted, parent: Record | None, ticks: bool
) -> None:
    whole = record(events)
    scenes = takes(events, node_titles(started), whole)
    scene = scrubber.position(len(scenes), started.run, ticks=ticks)
    take = scenes[scene]
    if citations.close_when_moved(started.run, scene):
        follow(started.run)
    at_end = take.count == len(events)
    shown = whole if at_end else record(events[: take.count])
    stopped = stopped_before(whole, node_titles(started)) if whole.state == "paused" else ""
    draw_run(
        shown,
        parent=parent,
        editable=entry.owner != OWNER and at_end,
        titled=literal(entry.title, 120)
        != literal(started.question),  # a long one is cut in the page's title
        gold=whole.baseline.gold if whole.baseline else None,
        replayed=stopped if at_end else take.title,
    )
    titles = [" · ".join(filter(None, (entry.title, entry.took))) for entry in scenes]
    scrubber.controls(started.run, scene, titles, titles[scene], [Said(narration(whole, take))])
