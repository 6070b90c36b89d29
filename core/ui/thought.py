"""How a thought is drawn."""

from __future__ import annotations

import streamlit as st

from core.trace.artefacts import Thought
from core.ui.passages import passages
from core.ui.place import Place, method_note
from core.ui.safe import literal
from core.ui.theme import card
from core.views.thought import thought_view


def draw_thought(artefact: Thought, place: Place) -> None:
    """A sentence of reasoning and the passages that it brought in."""
    view = thought_view(artefact)
    with card(
        "thought", place.key, subtitle=f"{view.number}, {view.pool} passages so far", seconds=place.seconds
    ):
        st.markdown(literal(view.text))
        passages(view.cards, f"thought-{place.key}", compact=True)
        if view.ends:
            st.caption(literal(view.ends))
        method_note(artefact)
