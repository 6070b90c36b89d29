"""A run on the page: diagram, answer, evidence, a card per step, machinery. Live and stored runs alike."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.blocks import blocks
from core.cards.evidence import TINY, score_name
from core.cards.models import asked_with
from core.cards.status import done_line, status_line
from core.runs.record import Call, Record, Step
from core.strategies import strategies
from core.trace.artefacts import AnyArtefact, Grade, Ranking, Thought
from core.ui.cards.answer import draw_draft
from core.ui.cards.artefacts import draw
from core.ui.cards.chain import draw_chain
from core.ui.cards.grades import draw_grades, draw_laps
from core.ui.cards.place import Place
from core.ui.run.diagram import draw_diagram
from core.ui.run.edit import edit_menu
from core.ui.run.embedding_map import draw_embedding_map
from core.ui.run.fork import draw_fork
from core.ui.run.machinery import draw_machinery, draw_totals
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
    titles = strategy.diagram().nodes if strategy else {}
    colour = strategy.colour if strategy else UNKNOWN_COLOUR
    key = record.started.run
    with st.container(key="run"):
        side, main = st.columns([1, 3.2], gap="medium")
        with side, st.container(key="diagram"):
            if strategy:
                draw_diagram(strategy, "run", record.steps)
            draw_totals(record)
        with main:
            name, *searched = (literal(part, 80) for part in asked_with(record.started))
            st.markdown(" · ".join([f"**{name}**", *(f":gray[{part}]" for part in searched)]))
            st.markdown(f"##### {literal(record.started.question)}")
            _state(record, titles, attempts)
            draw_fork(parent, record)
            _answer(record, key, colour)
            editing = key if editable and strategy is not None else ""
            retrieves = strategy is None or strategy.retrieves or strategy.explores
            _evidence(record, key, colour, retrieves=retrieves, editing=editing)
            if record.find(Grade):
                draw_laps([artefact for _, artefact in record.artefacts], key, colour)
            draw_playback([artefact for _, artefact in record.artefacts], key, colour=colour)
            _steps(record, colour, editing)
            draw_embedding_map(record, key)
            draw_machinery(record, titles, key)


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


def _answer(record: Record, key: str, colour: str) -> None:
    answer = record.answer
    if answer is None:
        if record.started and record.started.retrieval_only:
            st.caption(":material/block: Retrieval only: it ends before the answer.")
        elif record.state == "running" or record.draft:
            draw_draft(record.draft, key)
        return
    draw(answer, Place(key, colour, context=record.context))
    if record.started and record.started.builtin and answer.method == "model":
        st.caption(f":material/science: {TINY}")


def _evidence(record: Record, key: str, colour: str, *, retrieves: bool, editing: str) -> None:
    """The evidence; while the run goes on, in space kept free for it: the cards below stay in place."""
    running = record.state == "running"
    if not retrieves or (record.context is None and not running):
        return
    with st.container(height=EVIDENCE_PIXELS if running else "content", border=False, key=f"evidence-{key}"):
        if record.context is None:
            st.caption("The evidence will appear here.")
        else:
            step = next(step for step, artefact in record.artefacts if artefact is record.context)
            place = Place(
                key, colour, run=editing, step=step.id, answer=record.answer, score_name=score_name(record)
            )
            draw(record.context, place)


def _steps(record: Record, colour: str, editing: str) -> None:
    found = list(blocks(record))
    tries = [call for call in record.calls if call.retry]
    if found or tries:
        st.markdown("##### Step by step")
    for call in tries:
        _retry(call)
    for block in found:
        if block.chain:
            items = [(step.label, artefact) for step, artefact, _ in block.items]
            draw_chain(items, Place(block.items[0][2], colour, answer=record.answer))
            _edits(block.items, editing)
            continue
        if block.grades:
            step, _, key = block.items[0]
            draw_grades(block.grades, _place(step, key, colour, editing, record))
            _edits(block.items, editing)
            continue
        if isinstance(block.items[0][1], Thought):  # the others are drawn with the first
            step, first, key = block.items[0]
            _draw(step, first, key, colour, "", record)
            chain = [(s, a, key) for s, a in record.artefacts if isinstance(a, Thought)]
            _edits(chain, editing)
            continue
        if not block.beside:
            _draw(*block.items[0], colour, editing, record)
            continue
        with st.grid(2, min_column_width=300, gap="small"):
            for step, artefact, key in block.items:
                _draw(step, artefact, key, colour, editing, record)


def _edits(items: Sequence[tuple[Step, AnyArtefact, str]], editing: str) -> None:
    edit_menu([(step.id, artefact) for step, artefact, _ in items], editing, items[0][2])


def _retry(call: Call) -> None:
    """A failed call that was tried again; the wait is part of what the run took."""
    if call.retry is not None:
        st.markdown(
            f":material/replay: {literal(call.retry.reason)}: try {call.retry.attempt} "
            f"after a wait of {call.retry.wait:.1f} s :gray[:small[{literal(call.error, 200)}]]"
        )


def _draw(step: Step, artefact: AnyArtefact, key: str, colour: str, editing: str, record: Record) -> None:
    draw(artefact, _place(step, key, colour, editing, record))


def _place(step: Step, key: str, colour: str, editing: str, record: Record) -> Place:
    # What a fork took over took its own run no time.
    seconds = None if step.end is None or step.inherited else step.end - step.start
    rankings = tuple(record.find(Ranking))
    return Place(key, colour, seconds, run=editing, step=step.id, record=record, rankings=rankings)
