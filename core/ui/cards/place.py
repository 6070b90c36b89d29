"""What every drawing of an artefact is given, and the line that says how the artefact was made."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.cards.methods import method_view
from core.runs.record import Record
from core.trace.artefacts import Answer, Artefact, Context, Ranking
from core.ui.shell.safe import literal


@dataclass(frozen=True)
class Place:
    """Where an artefact stands on the page."""

    key: str
    """Unique on the page and stable between redraws."""
    colour: str
    """The strategy's colour."""
    seconds: float | None = None
    """How long its step took; None while it runs."""
    run: str = ""
    """Id of the run, where what is drawn may be edited."""
    step: str = ""
    """Id of the step that made it."""
    context: Context | None = None
    """The run's evidence, for the answer."""
    answer: Answer | None = None
    """The run's answer, for the evidence."""
    rankings: tuple[Ranking, ...] = ()
    """The run's rankings so far, for what is compared with them."""
    score_name: str = "score"
    """What the scores of the evidence are."""
    record: Record | None = None
    """The run so far, for a drawing that joins several artefacts."""


def method_note(artefact: Artefact) -> None:
    """Which method of its skill made an artefact, and what the user should know about it."""
    if made := method_view(artefact):
        st.caption(
            f":material/psychology: {literal(made.skill)}: {literal(made.method)}",
            help=literal(made.explains) or None,
        )
    if artefact.note:
        st.caption(f":material/info: {literal(artefact.note)}")
