"""How a step back is drawn."""

from __future__ import annotations

import streamlit as st

from core.trace.artefacts import StepBack
from core.ui.place import Place, method_note
from core.ui.safe import literal
from core.ui.theme import card
from core.views.step_back import step_back_view


def draw_step_back(artefact: StepBack, place: Place) -> None:
    """The two questions."""
    view = step_back_view(artefact)
    with card("step_back", place.key, seconds=place.seconds):
        st.markdown(f"{literal(view.question)} → **{literal(view.general)}**")
        method_note(artefact)
