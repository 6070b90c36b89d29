"""How grades and rewritten questions are drawn."""

from __future__ import annotations

import streamlit as st

from core.trace.artefacts import Grade, Rewrite
from core.ui.place import Place, method_note
from core.ui.safe import literal
from core.ui.theme import card
from core.views.grades import grade_view, rewrite_view


def draw_grade(artefact: Grade, place: Place) -> None:
    """One grade with its reason."""
    view = grade_view(artefact)
    with card("grade", place.key, subtitle=f"{view.what}: {view.verdict}", seconds=place.seconds):
        st.markdown(literal(view.about or view.asks))
        if view.reason:
            st.caption(literal(view.reason))
        method_note(artefact)


def draw_rewrite(artefact: Rewrite, place: Place) -> None:
    """The question before and after, and why."""
    view = rewrite_view(artefact)
    with card("rewrite", place.key, seconds=place.seconds):
        st.markdown(f"{literal(view.before)} → **{literal(view.after)}**")
        st.caption(literal(view.cause))
        method_note(artefact)
