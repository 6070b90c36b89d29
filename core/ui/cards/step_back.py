"""How a step back is drawn: the two questions, what each found, and what both found."""

from __future__ import annotations

import streamlit as st

from core.cards.aids import AIDS
from core.cards.step_back import step_back_view
from core.trace.artefacts import Ranking, StepBack
from core.ui.cards.place import Place, method_note
from core.ui.shell.assets import asset, script
from core.ui.shell.theme import card, reading_aid

_component = st.components.v2.component(
    "rag_loupe.step_back",
    html='<div class="root"></div>',
    css=asset("step_back.css"),
    js=script("step_back.js"),
)


def draw_step_back(artefact: StepBack, place: Place) -> None:
    """Both questions with their passages side by side; a passage of both is marked and joined by a line."""
    rankings = place.record.find(Ranking) if place.record else []
    running = place.record is not None and place.record.state == "running"
    view = step_back_view(artefact, rankings, running=running)
    both = f"{len(view.shared)} found by both" if view.shared else ""
    with card("step_back", place.key, subtitle=both, seconds=place.seconds):
        if not view.same:
            reading_aid(AIDS["step_back"])
        _component(data=view.data() | {"colour": place.colour}, key=f"step-back-{place.key}")
        method_note(artefact)
