"""A run on the page: diagram, outcome, answer, and the stage with its steps. Live and stored runs alike."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.kind import Scene
from core.cards.kinds.evidence import TINY
from core.cards.models import asked_with, who_answered
from core.cards.outcome import outcome
from core.cards.recorded import ICON, REPLACED, origin, tiny_wrote
from core.cards.stage import entries
from core.cards.status import done_line, status_line, stopped_before
from core.runs.cut_prompts import cut_prompts
from core.runs.gold import Gold
from core.runs.record import Call, Record
from core.strategies import node_titles, strategies
from core.ui.cards.answer import draw_answer, draw_draft
from core.ui.run.diagram import draw_diagram
from core.ui.run.fork import draw_fork
from core.ui.run.machinery import draw_totals
from core.ui.run.outcome import draw_outcome
from core.ui.run.stage import choose, draw_stage, on_stage
from core.ui.shell.safe import literal

UNKNOWN_COLOUR = "#56B4E9"


def draw_run(
    record: Record,
    *,
    attempts: int = 4,
    parent: Record | None = None,
    editable: bool = False,
    gold: Sequence[Gold] | None = None,
    replayed: str = "",
) -> None:
    """Draw a run as far as it is.

    Args:
        record: The run so far.
        attempts: Tries per model call in all, for the line about retries.
        parent: The run that a fork was forked from; None: there is none, or it is gone.
        editable: Whether artefacts can be changed and run on from.
        gold: As of `Scene`.
        replayed: What happens in the scene of a replay; raw text; empty: it is at its end, or no replay.
    """
    if record.started is None:
        st.caption("Getting ready…")
        return
    strategy = strategies().get(record.started.strategy)
    titles = node_titles(record.started)
    colour = strategy.colour if strategy else UNKNOWN_COLOUR
    key = record.started.run
    scene = Scene(record, colour, key, gold)
    came = outcome(record)
    found = entries(scene)
    editing = key if editable and strategy is not None else ""
    with st.container(key="run"):
        side, main = st.columns([1, 3.2], gap="medium")
        with side, st.container(key="diagram"):
            if strategy:
                draw_diagram(
                    strategy,
                    "run",
                    record.steps,
                    record.started.params,
                    waiting=record.next,
                    read=next((entry.nodes for entry in found if entry.key == on_stage(found, scene)), ()),
                    choose=lambda node: choose(found, scene, node),
                )
            draw_totals(record)
        with main, st.container(gap="small"):
            asked = (*asked_with(record.started), who_answered(record))
            name, *searched = (literal(part, 200) for part in filter(None, asked))
            st.markdown(" · ".join([f"**{name}**", *(f":gray[{part}]" for part in searched)]))
            st.markdown(f"### {literal(record.started.question)}")
            draw_outcome(scene, came)
            waits = record.state == "paused"
            doing = stopped_before(record, titles) if waits else status_line(record, titles, attempts)
            _state(record, replayed or doing)
            draw_fork(parent, record)
            _answer(scene)
            for call in record.calls:
                _retry(call)
            draw_stage(found, scene, came, editing)


def _state(record: Record, doing: str) -> None:
    """One line of reserved height while it runs; what happened when it did not end well."""
    match record.state:
        case "running":
            st.caption(f":material/progress_activity: {literal(doing)}")
        case "paused":
            st.caption(f":material/pause: {literal(doing)}, after {record.totals.seconds:.2f} s")
        case "finished":
            said = " · ".join(filter(None, (done_line(record), origin(record))))
            st.caption(f":material/check: {literal(said, 700)}")
            return
        case "failed":
            st.error(literal(record.error), title="This run failed", icon=":material/error:")
            st.caption("What was done up to there is kept below.")
        case "stopped":
            st.warning(literal(record.error), title="This run was stopped", icon=":material/stop_circle:")
    if said := origin(record):
        icon = ICON if record.recording else REPLACED
        st.caption(f":material/{icon}: {literal(said, 600)}")


def _answer(scene: Scene) -> None:
    record = scene.record
    answer, started = record.answer, record.started
    if answer is None:
        if started and started.retrieval_only:
            st.caption(":material/block: Retrieval only: it ends before the answer.")
        elif record.draft or record.state == "running":
            draw_draft(record.draft, scene.key, waits=record.state == "paused")
        return
    draw_answer(answer, scene)
    if tiny_wrote(record):
        st.caption(f":material/science: {TINY}")
    if cut := cut_prompts(record):
        st.caption(f":material/info: {literal(cut, 600)}")


def _retry(call: Call) -> None:
    """A failed call that was tried again; the wait is part of what the run took."""
    if call.retry is not None:
        st.markdown(
            f":material/replay: {literal(call.retry.reason)}: try {call.retry.attempt} "
            f"after a wait of {call.retry.wait:.1f} s :gray[:small[{literal(call.error, 200)}]]"
        )
