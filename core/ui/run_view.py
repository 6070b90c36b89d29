"""A run on the page: diagram, answer, evidence, a card per step, machinery. Live and stored runs alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.runs.record import Record, Step
from core.strategies import strategies
from core.strategies.base import Strategy
from core.trace.artefacts import Answer, AnyArtefact, Context, Ranking
from core.ui.answer import draw_draft
from core.ui.artefacts import Place, draw
from core.ui.machinery import draw_machinery, draw_totals
from core.ui.safe import literal
from core.views.diagram import diagram_svg
from core.views.status import status_line

TINY = (
    "Written by the tiny built-in model (135 million parameters). It is here so that everything works offline; "
    "expect mistakes, and choose another model in the sidebar to see a strategy at its best."
)
UNKNOWN_COLOUR = "#56B4E9"


@dataclass(frozen=True)
class Block:
    """Artefacts drawn together: the rankings of one layer side by side, everything else alone."""

    layer: int
    items: tuple[tuple[Step, AnyArtefact, str], ...]
    """Step, artefact, key."""


def blocks(record: Record) -> Iterator[Block]:
    """Artefacts in the order of the run; answer and evidence have their own place."""
    group: list[tuple[Step, AnyArtefact, str]] = []
    for step in record.steps:
        for place, artefact in enumerate(step.artefacts):
            if isinstance(artefact, Answer | Context):
                continue
            joins = isinstance(artefact, Ranking) and group and isinstance(group[-1][1], Ranking)
            if group and not (joins and group[-1][0].layer == step.layer):
                yield Block(group[0][0].layer, tuple(group))
                group = []
            group.append((step, artefact, f"{step.id}-{place}"))
    if group:
        yield Block(group[0][0].layer, tuple(group))


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
        side, main = st.columns([1, 3.4], gap="large")
        with side, st.container(key="diagram"):
            if strategy:
                draw_diagram(strategy, record.steps)
            draw_totals(record)
        with main:
            st.markdown(f"##### {literal(record.started.question)}")
            _state(record, titles, attempts)
            _answer(record, key, colour)
            _evidence(record, key, colour)
            _steps(record, colour)
            draw_machinery(record, titles, key)


def draw_diagram(strategy: Strategy[Any], steps: Sequence[Step] = ()) -> None:
    """The strategy's graph, lit where it runs; below one another, or across on a narrow page."""
    diagram = strategy.diagram()
    down = diagram_svg(diagram, steps, strategy.colour)
    across = diagram_svg(diagram, steps, strategy.colour, across=True)
    st.html(
        f'<div class="diagram diagram-down">{down}</div><div class="diagram diagram-across">{across}</div>'
    )


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


def _evidence(record: Record, key: str, colour: str) -> None:
    if record.context is not None:
        draw(record.context, Place(key, colour, answer=record.answer))


def _steps(record: Record, colour: str) -> None:
    found = list(blocks(record))
    if found:
        st.markdown("##### Step by step")
    for block in found:
        if len(block.items) == 1:
            _draw(*block.items[0], colour)
            continue
        with st.grid(2, min_column_width=300, gap="small"):
            for step, artefact, key in block.items:
                _draw(step, artefact, key, colour)
    for step in record.steps:
        if step.error:
            st.error(literal(step.error), title="This step failed")


def _draw(step: Step, artefact: AnyArtefact, key: str, colour: str) -> None:
    seconds = None if step.end is None else step.end - step.start
    draw(artefact, Place(key, colour, seconds))
