"""A run on the page: diagram, answer, evidence, a card per step, machinery. Live and stored runs alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from core.runs.record import Call, Record, Step
from core.strategies import strategies
from core.trace.artefacts import Answer, AnyArtefact, Context, Grade, Ranking
from core.ui.answer import draw_draft
from core.ui.artefacts import draw
from core.ui.diagram import draw_diagram
from core.ui.grades import draw_grades, draw_laps
from core.ui.machinery import draw_machinery, draw_totals
from core.ui.place import Place
from core.ui.safe import literal
from core.views.evidence import score_name
from core.views.status import status_line

TINY = (
    "Written by the tiny built-in model (135 million parameters). It makes everything work offline; "
    "expect mistakes, and choose another model in the sidebar to see a strategy at its best."
)
UNKNOWN_COLOUR = "#56B4E9"
EVIDENCE_PIXELS = 330


@dataclass(frozen=True)
class Block:
    """Artefacts drawn together: rankings of one layer side by side, its grades in one list, the rest alone."""

    beside: bool
    """Side by side, from the first one on: nothing moves when the others arrive."""
    items: tuple[tuple[Step, AnyArtefact, str], ...]
    """Step, artefact, key."""


def blocks(record: Record) -> Iterator[Block]:
    """Artefacts in the order of the run; answer and evidence have their own place."""
    branches = Counter(step.layer for step in record.steps)
    group: list[tuple[Step, AnyArtefact, str]] = []
    for step in record.steps:
        for place, artefact in enumerate(step.artefacts):
            if isinstance(artefact, Context) or (isinstance(artefact, Answer) and artefact.final):
                continue
            joins = group and any(
                isinstance(artefact, kind) and isinstance(group[-1][1], kind) for kind in (Ranking, Grade)
            )
            if group and not (joins and group[-1][0].layer == step.layer):
                yield _block(group, branches)
                group = []
            group.append((step, artefact, f"{step.id}-{place}"))
    if group:
        yield _block(group, branches)


def _block(group: list[tuple[Step, AnyArtefact, str]], branches: Counter[int]) -> Block:
    step, first, _ = group[0]
    return Block(isinstance(first, Ranking) and max(branches[step.layer], len(group)) > 1, tuple(group))


def draw_run(record: Record, *, attempts: int = 4) -> None:
    """Draw a run as far as it is.

    Args:
        record: The run so far.
        attempts: Tries per model call in all, for the line about retries.
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
            st.markdown(f"##### {literal(record.started.question)}")
            _state(record, titles, attempts)
            _answer(record, key, colour)
            _evidence(record, key, colour, retrieves=strategy is None or strategy.retrieves)
            if record.find(Grade):
                draw_laps([artefact for _, artefact in record.artefacts], key, colour)
            _steps(record, colour)
            draw_machinery(record, titles, key)


def _state(record: Record, titles: dict[str, str], attempts: int) -> None:
    """One line of reserved height while it runs; what happened when it did not end well."""
    match record.state:
        case "running":
            st.caption(f":material/progress_activity: {literal(status_line(record, titles, attempts))}")
        case "finished":
            started = record.started
            model = f"{literal(started.chat_model)}" if started else ""
            st.caption(f":material/check: Done in {record.seconds:.2f} s with {model}")
        case "failed":
            st.error(literal(record.error), title="This run failed", icon=":material/error:")
            st.caption("What was done up to there is kept below.")
        case "stopped":
            st.warning(literal(record.error), title="This run was stopped", icon=":material/stop_circle:")


def _answer(record: Record, key: str, colour: str) -> None:
    answer = record.answer
    if answer is None:
        if record.state == "running" or record.draft:
            draw_draft(record.draft, key)
        return
    draw(answer, Place(key, colour, context=record.context))
    if record.started and record.started.builtin and answer.method == "model":
        st.caption(f":material/science: {TINY}")


def _evidence(record: Record, key: str, colour: str, *, retrieves: bool) -> None:
    """The evidence; while the run goes on, in space kept free for it: the cards below stay in place."""
    running = record.state == "running"
    if not retrieves or (record.context is None and not running):
        return
    with st.container(height=EVIDENCE_PIXELS if running else "content", border=False, key=f"evidence-{key}"):
        if record.context is None:
            st.caption("The evidence will appear here.")
        else:
            draw(record.context, Place(key, colour, answer=record.answer, score_name=score_name(record)))


def _steps(record: Record, colour: str) -> None:
    found = list(blocks(record))
    tries = [call for call in record.calls if call.retry]
    if found or tries:
        st.markdown("##### Step by step")
    for call in tries:
        _retry(call)
    for block in found:
        grades = [artefact for _, artefact, _ in block.items if isinstance(artefact, Grade)]
        if grades:
            step, _, key = block.items[0]
            draw_grades(grades, _place(step, key, colour))
            continue
        if not block.beside:
            _draw(*block.items[0], colour)
            continue
        with st.grid(2, min_column_width=300, gap="small"):
            for step, artefact, key in block.items:
                _draw(step, artefact, key, colour)


def _retry(call: Call) -> None:
    """A failed call that was tried again; the wait is part of what the run took."""
    if call.retry is not None:
        st.markdown(
            f":material/replay: {literal(call.retry.reason)}: try {call.retry.attempt} "
            f"after a wait of {call.retry.wait:.1f} s :gray[:small[{literal(call.error, 200)}]]"
        )


def _draw(step: Step, artefact: AnyArtefact, key: str, colour: str) -> None:
    draw(artefact, _place(step, key, colour))


def _place(step: Step, key: str, colour: str) -> Place:
    return Place(key, colour, None if step.end is None else step.end - step.start)
