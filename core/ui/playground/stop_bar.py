"""Step mode: the bar of a run that stops before its steps, and what was expected of each beside what came."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from core.cards.narration import Expected, expected, next_layer
from core.cards.status import status_line, stopped_before
from core.runs.record import Record
from core.runs.workbench import Workbench
from core.strategies import node_titles, strategies
from core.strategies.base import Diagram
from core.trace.events import EACH_STEP, RunStarted
from core.ui.playground.form import resume
from core.ui.playground.going_on import who_goes_on
from core.ui.shell.safe import literal

STEP_SECONDS = 0.3
"""How long a page waits for the end of a step, so that one without a model is seen at once."""
GUESS_LETTERS = 300
SHORTCUT = "Alt+Enter"
"""Goes on from anywhere on the page, also while something is typed."""
PLACEHOLDER = "What will come? Your guess, if you like; no model sees it"


def draw_stop(bench: Workbench, record: Record, *, mine: bool) -> None:
    """Above a run that nobody works on: what comes next and the ways on; of one that has ended, what was expected.

    Args:
        bench: That goes on with it.
        record: The run.
        mine: Whether this browser asked it, so that it may go on.
    """
    started, titles = record.started, node_titles(record.started)
    if started is None:
        return
    layer = next_layer(record)
    found = expected(record, titles, lambda one: _guess(started.run, one))
    if record.state != "paused":
        if found:
            with st.container(border=True, key="expected", gap="small"):
                st.markdown("### What you expected, and what came")
                _draw_expected(found)
        return
    if record.lacking:  # whoever does it is asked for above
        return
    with st.container(border=True, key="step-mode", gap="small"):
        st.markdown(f"### :material/pause: {literal(stopped_before(record, titles))}")
        _does(started, record.next)
        if mine:
            _ways_on(bench, record, started, layer)
        else:
            st.caption("Only the browser that asked this run can let it go on.")
        _draw_expected(found[-1:])


def draw_going(record: Record, attempts: int) -> None:
    """The same place while a run goes on to its next stop."""
    started = record.started
    if started is None or not record.stop_before or record.state != "running":
        return
    titles = node_titles(started)
    with st.container(border=True, key="step-mode", gap="small"):
        st.markdown(f"### :material/progress_activity: {literal(status_line(record, titles, attempts))}")
        under_way = [step for step in record.steps if step.state == "running"]
        _does(started, [step.node for step in under_way])
        if under_way and (guess := _guess(started.run, under_way[-1].layer)):
            st.markdown(f":gray[You expect]  \n{literal(guess, GUESS_LETTERS)}")


def _ways_on(bench: Workbench, record: Record, started: RunStarted, layer: int) -> None:
    """A guess, and the buttons; Enter in the guess is the first of them."""
    ways = {
        EACH_STEP: ("Next step", "skip_next"),
        **_further(record, started),
        "": ("Run to the end", "fast_forward"),
    }
    who = who_goes_on(bench, record)
    # Of each stop a form of its own: a second click that comes late belongs to a stop that is over.
    with (
        st.form(f"stop-{started.run}-{layer}", border=False, enter_to_submit=True),
        st.container(horizontal=True, gap="small", vertical_alignment="center"),
    ):
        st.text_input(
            "What will come?",
            key=_key(started.run, layer),
            max_chars=GUESS_LETTERS,
            placeholder=PLACEHOLDER,
            label_visibility="collapsed",
            persist_state="session",
        )
        for place, (stop, (label, icon)) in enumerate(ways.items()):
            if st.form_submit_button(
                label,
                key=f"on-{stop or 'end'}-{layer}",
                icon=f":material/{icon}:",
                type="secondary" if place else "primary",
                shortcut=None if place else SHORTCUT,
            ):
                if job := resume(bench, started.run, who.chat, stop):
                    job.let_end(STEP_SECONDS)
                st.rerun()
    st.caption(who.line)


def _further(record: Record, started: RunStarted) -> dict[str, tuple[str, str]]:
    """To the step that was chosen with the question, where that may come (again)."""
    diagram, stop = _diagram(started), started.stop_before
    if stop not in diagram.steps or not any(_comes(diagram, node, stop) for node in record.next):
        return {}
    return {stop: (f"On to “{diagram.steps[stop]}”", "keyboard_tab")}


def _comes(diagram: Diagram, node: str, stop: str) -> bool:
    """True if a step may come after another one, with others in between: else the next step is the way to it."""
    following = {edge.target for edge in diagram.edges if edge.source == node}
    return diagram.leads_to(node, stop) and following != {stop}


def _does(started: RunStarted, nodes: Iterable[str]) -> None:
    """The work of these steps, in a sentence each."""
    told = _diagram(started).does
    st.markdown(" ".join(dict.fromkeys(literal(told[node]) for node in nodes if node in told)))


def _diagram(started: RunStarted) -> Diagram:
    found = strategies().get(started.strategy)
    return found.diagram(started.params) if found else Diagram({}, ())


def _draw_expected(found: Sequence[Expected]) -> None:
    for one in found:
        with st.grid(2, min_column_width=300, gap="small"):
            st.markdown(
                f":gray[Before “{literal(one.title)}” you expected]  \n{literal(one.guess, GUESS_LETTERS)}"
            )
            st.markdown(f":gray[What came]  \n{literal(one.came)}")


def _key(run: str, layer: int) -> str:
    return f"guess-{run}-{layer}"


def _guess(run: str, layer: int) -> str:
    return str(st.session_state.get(_key(run, layer)) or "")
