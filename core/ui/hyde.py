"""How hypothetical passages are drawn."""

from __future__ import annotations

import streamlit as st

from core.trace.artefacts import Passages
from core.ui.place import Place, method_note
from core.ui.safe import literal
from core.ui.theme import card
from core.views.hyde import passages_view


def draw_passages(artefact: Passages, place: Place) -> None:
    """The passages and what is searched with."""
    view = passages_view(artefact)
    with card("passages", place.key, subtitle=view.style, seconds=place.seconds):
        for text in view.texts:
            st.markdown(literal(text))
        st.caption(f"Searched with {literal(view.searched_with)}.")
        method_note(artefact)
