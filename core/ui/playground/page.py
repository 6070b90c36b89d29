"""The Playground: choose, ask, and see the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.plugins import problems
from core.runs.gallery import OWNER as GALLERY_OWNER
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.run_notes import left_sentence, left_to_others
from core.runs.store import RunEntry
from core.runs.workbench import Workbench
from core.skills.base import MODEL
from core.trace.events import RunStarted
from core.ui.forms.recorded import answering
from core.ui.playground.form import REFUSED, ask, form, new_question, restore, resume
from core.ui.playground.going_on import draw_going, draw_stop, note_choice, ways_on, who_goes_on
from core.ui.playground.picker import chosen_strategy
from core.ui.playground.welcome import draw_preview, draw_starters, draw_welcome
from core.ui.run.live import END_SECONDS, find_run, live
from core.ui.run.whole_run import compare_link, draw_run
from core.ui.shell import address, session
from core.ui.shell.another_model import offer_another
from core.ui.shell.assets import component
from core.ui.shell.hand_in import offer_hand_in
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import copy_link, draw_noted, errors_shown


@errors_shown()
def page() -> None:
    """Draw the page."""
    bench = framed()
    session.demo(bench)  # on the first start, indexing begins with the first page that is opened
    run = address.read_param(address.RUN)
    job, shown = find_run(bench, run) if run else (None, None)
    restore(bench, shown)
    scroll_place(address.RUN)
    if run is None or shown is None:
        draw_welcome(bench)
        draw_starters(bench, chosen_strategy())
        draw_preview(bench, form(bench, job))
        for problem in problems():
            st.warning(literal(problem), icon=":material/extension_off:")
        return
    note_choice(run)
    # Of each run its own, so that a new one begins with the form folded.
    folded = st.expander(
        "Edit: question, strategy, documents, settings",
        icon=":material/edit:",
        key=f"form-of-{run}",
        on_change="rerun",  # folded, it is not drawn
    )
    if folded.open:
        with folded:
            form(bench, job)
    else:
        draw_noted(REFUSED)
    # The run has one place, under way and ended: what is drawn there does not stand beside what it takes the place of.
    place = st.container(horizontal=True, gap="small", vertical_alignment="center", key="run-actions")
    place.button("New question", key="new-question", icon=":material/add:", on_click=new_question)
    # The page's own link, the logo and the browser's “Back” lead to the start page.
    component("home")(key="way-home", on_home_change=new_question, height=1)
    if job is not None:
        if shown.started and job.owner == session.owner():
            place.button("Stop", key="stop", icon=":material/stop:", on_click=job.stop, args=(END_SECONDS,))
        live(bench, job, draw_going)
        return
    mine = stored_whole = False
    if shown.started:
        entry = bench.store.entry(shown.started.run)
        mine = entry.owner == session.owner()
        stored_whole = entry.owner != GALLERY_OWNER  # else without the states between its steps
        _actions(bench, place, entry, shown, shown.started, mine=mine)
    _draw_left(bench, shown)
    draw_stop(bench, shown, mine=mine)
    _still(bench, shown, editable=stored_whole)


# The run on the page


def _actions(
    bench: Workbench,
    place: DeltaGenerator,
    entry: RunEntry,
    shown: Record,
    started: RunStarted,
    *,
    mine: bool,
) -> None:
    """Draw the buttons of a run that has ended or waits; of one that did not end well, first what happened.

    Only the browser that asked it (`mine`) can continue it.
    """
    offered = bool(mine and shown.lacking and ways_on(bench, shown))
    with place:
        if entry.state == "interrupted":
            on = "and it can go on from there." if mine else "and the same can be asked again."
            st.warning(
                f"The process that worked on it has ended. Everything so far is below, {on}",
                title="This run was interrupted",
                icon=":material/bolt:",
            )
        elif shown.state == "running":
            st.info("Another process is working on it. Everything so far is below.", icon=":material/sync:")
            if st.button("Look again", key="look-again", icon=":material/visibility:"):
                st.rerun()
        if entry.state in ("interrupted", "failed", "stopped"):
            _go_on(bench, shown, started, mine=mine and not offered)
        elif entry.state == "paused" and (not mine or (shown.lacking and not offered)):
            _go_on(bench, shown, started, mine=mine)
        st.page_link(
            "pages/runs.py",
            label="Replay, export, rename",
            icon=":material/history:",
            query_params={address.RUN: entry.id},
        )
        compare_link(entry.id)
        copy_link(address.RUN, entry.id, "run")
        offer_hand_in(bench, "run", entry.id, entry.owner)


@st.fragment
def _still(bench: Workbench, shown: Record, *, editable: bool) -> None:
    """Draw a run that is not under way; a fragment, so that opening a step does not redraw the form."""
    draw_run(shown, parent=session.parent(bench, shown), editable=editable)


def _go_on(bench: Workbench, shown: Record, started: RunStarted, *, mine: bool) -> None:
    """Draw the buttons that continue after the last whole step, or ask the same again, and of a run that failed the one
    that has another model do so."""
    if mine:
        who = who_goes_on(bench, shown)
        if st.button(
            "Continue",
            key="continue",
            icon=":material/play_arrow:",
            help=f"Goes on after the last finished step; nothing is paid for twice. {who.line}",
        ):
            resume(bench, started.run, who.chat)
            st.rerun()
    if st.button(
        "Ask again",
        key="ask-again",
        icon=":material/refresh:",
        help="Asks the same question from the beginning, as a new run, of the model that is chosen now.",
    ):
        _ask_again(bench, started, {})
    if shown.state == "failed" and not shown.lacking:  # else the model is asked for below
        offer_another(bench, key="go-on-another", width="content")


def _ask_again(bench: Workbench, started: RunStarted, methods: Mapping[str, str]) -> None:
    """Ask a question again, of the model that answers now, with other methods of some skills."""
    chat = answering(bench, started.strategy, started.corpus, started.graph).chat
    request = RunRequest.of(started, owner=session.owner(), chat=chat)
    ask(bench, replace(request, methods={**request.methods, **methods}))
    st.rerun()


def _draw_left(bench: Workbench, shown: Record) -> None:
    """Draw the tasks that other methods did in a run that has ended, and a button that has the model do them."""
    left, started = left_to_others(shown), shown.started
    if not left or started is None or shown.under_way:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="other-methods"):
        st.caption(f":material/swap_horiz: {literal(left_sentence(shown), 600)}", width="stretch")
        if st.button(
            "Let the model do it",
            key="let-model",
            icon=":material/refresh:",
            help="Asks the same question again, and has the model do these tasks. Where its replies cannot be used, "
            "another method does them.",
        ):
            _ask_again(bench, started, dict.fromkeys(left, MODEL))
