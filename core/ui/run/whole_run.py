"""A run on the page: diagram, answer, evidence, a card per step, machinery. Live and stored runs alike."""

from __future__ import annotations

import streamlit as st

from core.cards.groups import rows
from core.cards.iterations import iteration_parts
from core.cards.kind import Scene
from core.cards.kinds.evidence import TINY
from core.cards.models import asked_with
from core.cards.outcome import outcome
from core.cards.recorded import ICON, answer_mark, origin, tiny_wrote
from core.cards.status import done_line, status_line
from core.runs.record import Call, Record
from core.strategies import node_titles, strategies
from core.ui.cards.answer import draw_answer, draw_draft, draw_evidence
from core.ui.cards.parts import draw_mark, draw_parts
from core.ui.cards.rows import draw_row
from core.ui.run.diagram import draw_diagram
from core.ui.run.edit import edit_cards
from core.ui.run.embedding_map import draw_embedding_map
from core.ui.run.fork import draw_fork
from core.ui.run.machinery import draw_machinery, draw_totals
from core.ui.run.outcome import draw_baseline, draw_outcome
from core.ui.run.playback import draw_playback
from core.ui.shell.safe import literal

UNKNOWN_COLOUR = "#56B4E9"
EVIDENCE_PIXELS = 330


def draw_run(
    record: Record, *, attempts: int = 4, parent: Record | None = None, editable: bool = False
) -> None:
    """Draw a run as far as it is.

    Args:
        record: The run so far.
        attempts: Tries per model call in all, for the line about retries.
        parent: The run that a fork was forked from; None: there is none, or it is gone.
        editable: Whether artefacts can be changed and run on from.
    """
    if record.started is None:
        st.caption("Getting ready…")
        return
    strategy = strategies().get(record.started.strategy)
    titles = node_titles(record.started)
    colour = strategy.colour if strategy else UNKNOWN_COLOUR
    key = record.started.run
    scene = Scene(record, colour, key)
    came = outcome(record)
    with st.container(key="run"):
        side, main = st.columns([1, 3.2], gap="medium")
        with side, st.container(key="diagram"):
            if strategy:
                draw_diagram(strategy, "run", record.steps, record.started.params)
            draw_totals(record)
        with main:
            name, *searched = (literal(part, 80) for part in asked_with(record.started))
            st.markdown(" · ".join([f"**{name}**", *(f":gray[{part}]" for part in searched)]))
            st.markdown(f"##### {literal(record.started.question)}")
            draw_outcome(scene, came)
            _state(record, titles, attempts)
            draw_fork(parent, record)
            _answer(scene)
            editing = key if editable and strategy is not None else ""
            retrieves = strategy is None or strategy.retrieves or strategy.explores
            _evidence(scene, retrieves=retrieves, editing=editing)
            draw_baseline(scene, came)
            _loops(scene)
            draw_playback([artefact for _, artefact in record.artefacts], key, colour=colour)
            _steps(scene, editing)
            draw_embedding_map(record, key)
            draw_machinery(record, key)


def _state(record: Record, titles: dict[str, str], attempts: int) -> None:
    """One line of reserved height while it runs; what happened when it did not end well."""
    match record.state:
        case "running":
            st.caption(f":material/progress_activity: {literal(status_line(record, titles, attempts))}")
        case "finished":
            st.caption(f":material/check: {literal(done_line(record))}")
        case "failed":
            st.error(literal(record.error), title="This run failed", icon=":material/error:")
            st.caption("What was done up to there is kept below.")
        case "stopped":
            st.warning(literal(record.error), title="This run was stopped", icon=":material/stop_circle:")
    if said := origin(record):
        st.caption(f":material/{ICON}: {literal(said, 600)}")


def _answer(scene: Scene) -> None:
    record = scene.record
    answer, started = record.answer, record.started
    if answer is None:
        if started and started.retrieval_only:
            st.caption(":material/block: Retrieval only: it ends before the answer.")
        elif record.state == "running" or record.draft:
            draw_draft(record.draft, scene.key)
        return
    draw_answer(answer, scene)
    if mark := answer_mark(record):
        draw_mark(mark)
    if tiny_wrote(record):
        st.caption(f":material/science: {TINY}")


def _evidence(scene: Scene, *, retrieves: bool, editing: str) -> None:
    """The evidence; while the run goes on, in space kept free for it: the cards below stay in place."""
    record = scene.record
    running = record.state == "running"
    if not retrieves or (record.context is None and not running):
        return
    with st.container(
        height=EVIDENCE_PIXELS if running else "content", border=False, key=f"evidence-{scene.key}"
    ):
        if record.context is None:
            st.caption("The evidence will appear here.")
            return
        draw_evidence(record.context, scene)
        step = next(step for step, artefact in record.artefacts if artefact is record.context)
        edit_cards([(step.id, record.context)], editing, scene.key)


def _loops(scene: Scene) -> None:
    artefacts = [artefact for _, artefact in scene.record.artefacts]
    parts = iteration_parts(artefacts, scene.colour)
    if parts:
        st.markdown("##### The way through the loops")
        draw_parts(parts, scene.key)


def _steps(scene: Scene, editing: str) -> None:
    found = list(rows(scene))
    tries = [call for call in scene.record.calls if call.retry]
    if found or tries:
        st.markdown("##### Step by step")
    for call in tries:
        _retry(call)
    for row in found:
        draw_row(row, scene, editing)


def _retry(call: Call) -> None:
    """A failed call that was tried again; the wait is part of what the run took."""
    if call.retry is not None:
        st.markdown(
            f":material/replay: {literal(call.retry.reason)}: try {call.retry.attempt} "
            f"after a wait of {call.retry.wait:.1f} s :gray[:small[{literal(call.error, 200)}]]"
        )
