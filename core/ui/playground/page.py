"""The Playground: choose, ask, and see the run."""

from __future__ import annotations

import time
from dataclasses import replace

import streamlit as st

from core.plugins import problems
from core.runs.gallery import example_run, label
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.run_job import RunJob
from core.runs.run_notes import left_sentence, left_to_others
from core.runs.workbench import Workbench
from core.skills.base import MODEL
from core.strategies.base import AnyStrategy
from core.trace.events import RunStarted
from core.ui.forms.recorded import answering
from core.ui.playground.form import ask, draw_refused, form, restore, resume
from core.ui.playground.going_on import draw_going, draw_stop, note_choice, ways_on, who_goes_on
from core.ui.playground.picker import chosen_strategy
from core.ui.playground.welcome import draw_starters, draw_welcome, draw_what_is_this
from core.ui.run.diagram import draw_diagram
from core.ui.run.live import END_SECONDS, find_run, live
from core.ui.run.whole_run import compare_link, draw_run
from core.ui.shell import address, session
from core.ui.shell.progress import draw_moved
from core.ui.shell.safe import literal
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import copy_link, errors_shown

EXAMPLE_SECONDS = 30.0
"""How long a run of the gallery that was looked up is offered before the store is asked again."""


@errors_shown()
def page() -> None:
    """Draw the page."""
    bench = framed()
    draw_moved(bench)  # on the first start, indexing begins with the first page that is opened
    job, shown = _run_on_page(bench)
    restore(bench, shown)
    if shown is None:
        draw_welcome(bench)
        draw_starters(bench, chosen_strategy())
        _empty(bench, form(bench, job))
        for problem in problems():
            st.warning(literal(problem), icon=":material/extension_off:")
        return
    note_choice(address.shown(address.RUN) or "")
    # Of each run its own, so that a new one begins with the form folded.
    folded = st.expander(
        "Edit: question, strategy, documents, settings",
        icon=":material/edit:",
        key=f"form-of-{address.shown(address.RUN)}",
        on_change="rerun",  # folded, it is not drawn
    )
    if folded.open:
        with folded:
            form(bench, job)
    else:
        draw_refused()
    # The run has one place, under way and ended: what is drawn there does not stand beside what it takes the place of.
    _actions(bench, job, shown)
    if job is None:
        draw_left(bench, shown)
        draw_stop(bench, shown, mine=shown.state == "paused" and _mine(bench, shown))
        _still(bench, shown)
    else:
        live(bench, job, lambda run: draw_going(run, bench.settings.model_attempts))


# The run on the page


def _run_on_page(bench: Workbench) -> tuple[RunJob | None, Record | None]:
    """The run in the address: its job while it is under way in this process, and how far it is."""
    run = address.shown(address.RUN)
    if run is None:
        return None, None
    return find_run(bench, run)


def _mine(bench: Workbench, shown: Record) -> bool:
    """True if this browser asked the run."""
    run = shown.started.run if shown.started else ""
    return bool(run) and bench.store.entry(run).owner == session.owner()


def _actions(bench: Workbench, job: RunJob | None, shown: Record) -> None:
    """The buttons for what can be done with the run; of one that did not end well, first what happened."""
    place = st.container(horizontal=True, gap="small", vertical_alignment="center", key="run-actions")
    if shown.started is None:
        return
    if job is not None:
        if job.owner == session.owner():
            place.button("Stop", key="stop", icon=":material/stop:", on_click=job.stop, args=(END_SECONDS,))
        return
    entry = bench.store.entry(shown.started.run)
    mine = _mine(bench, shown)
    # Only the browser that asked it can continue it.
    offered = mine and ways_on(bench, shown)
    with place:
        if entry.state == "interrupted":
            on = "and it can go on from there." if mine else "and the same can be asked again."
            st.warning(
                f"The process that worked on it has ended. What it has so far is below, {on}",
                title="This run was interrupted",
                icon=":material/bolt:",
            )
        elif shown.state == "running":
            st.info("Another process is working on it. What it has so far is below.", icon=":material/sync:")
            if st.button("Look again", key="look-again", icon=":material/visibility:"):
                st.rerun()
        if entry.state in ("interrupted", "failed", "stopped"):
            _go_on(bench, shown, shown.started, mine=mine and not offered)
        elif entry.state == "paused" and (not mine or (shown.lacking and not offered)):
            _go_on(bench, shown, shown.started, mine=mine)
        st.page_link(
            "pages/runs.py",
            label="Replay, export, rename",
            icon=":material/history:",
            query_params={address.RUN: entry.id},
        )
        compare_link(entry.id)
        copy_link(address.RUN, entry.id, "run")


@st.fragment
def _still(bench: Workbench, shown: Record) -> None:
    """A run not under way here; a fragment, so that opening a step does not redraw the form."""
    draw_run(
        shown, attempts=bench.settings.model_attempts, parent=session.parent(bench, shown), editable=True
    )


def _go_on(bench: Workbench, shown: Record, started: RunStarted, *, mine: bool) -> None:
    """Continue after the last whole step, or ask the same again."""
    if mine:
        who = who_goes_on(bench, shown)
        if st.button(
            "Continue",
            key="continue",
            icon=":material/play_arrow:",
            help=f"After the last step that was finished; nothing that was done is paid for again. {who.line}",
        ):
            resume(bench, started.run, who.chat)
            st.rerun()
    if st.button("Ask again", key="ask-again", icon=":material/refresh:"):
        chat = answering(bench, started.strategy, started.corpus, started.graph).chat
        ask(bench, RunRequest.of(started, owner=session.owner(), chat=chat))
        st.rerun()


def _empty(bench: Workbench, strategy: AnyStrategy) -> None:
    """Before the first question: what will happen, and what to do."""
    side, main = st.columns([1, 2.4], gap="large")
    with side, st.container(key="diagram"):
        draw_diagram(strategy, "empty")
    with main:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"### What {strategy.title} will do", width="content")
            with st.container(horizontal=True, width="content", vertical_alignment="center"):
                draw_what_is_this()
                _example(bench, strategy)
        st.markdown(
            f"{literal(strategy.idea)}\n\n"
            f":material/thumb_up: **Helps:** {literal(strategy.helps)}\n\n"
            f":material/thumb_down: **Hurts:** {literal(strategy.hurts)}"
        )
        st.caption(f":material/menu_book: {literal(strategy.paper)}")
        st.info(
            "Click a card, or write a question and press **Ask**. Every step will appear here.",
            icon=":material/arrow_upward:",
        )


def _example(bench: Workbench, strategy: AnyStrategy) -> None:
    """A button that opens a stored run, to be seen without asking."""
    key, until, example, started = st.session_state.get("example-run", ("", 0.0, None, None))
    if key != strategy.key or time.monotonic() > until:
        session.gallery(bench)
        example = example_run(bench.store, strategy.key)
        started = bench.store.started(example.id) if example else None
        st.session_state["example-run"] = strategy.key, time.monotonic() + EXAMPLE_SECONDS, example, started
    if example:
        st.button(
            "Open an example run",
            key="open-example",
            icon=":material/photo_library:",
            on_click=address.show,
            args=(address.RUN, example.id),
            help=literal(f"{example.name}. {label(started)}." if started else f"{example.name}."),
        )


def draw_left(bench: Workbench, shown: Record) -> None:
    """Say what other methods did in a run that has ended, and offer to ask the same with the model's own judgement."""
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
            chat = answering(bench, started.strategy, started.corpus, started.graph).chat
            request = RunRequest.of(started, owner=session.owner(), chat=chat)
            ask(bench, replace(request, methods={**request.methods, **dict.fromkeys(left, MODEL)}))
            st.rerun()
