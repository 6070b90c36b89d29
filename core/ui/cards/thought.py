"""How a chain of thoughts is drawn: one flow of sentences, each with what it brought in."""

from __future__ import annotations

import streamlit as st

from core.cards.aids import AIDS
from core.cards.thought import summary, thought_view
from core.trace.artefacts import Thought
from core.ui.cards.place import Place, method_note
from core.ui.shell.assets import asset, script
from core.ui.shell.theme import card, reading_aid

_component = st.components.v2.component(
    "rag_loupe.thoughts", html='<div class="root"></div>', css=asset("thought.css"), js=script("thought.js")
)


def draw_thought(artefact: Thought, place: Place) -> None:
    """All thoughts of the run in one card, at the place of the first."""
    thoughts = place.record.find(Thought) if place.record else [artefact]
    pool = place.record.context if place.record else None
    with card("thought", place.key, subtitle=summary(thoughts, pool)):
        reading_aid(AIDS["thought"])
        queries = {ranking.query for ranking in place.rankings}
        views = [thought_view(item, pool, searched=item.text in queries) for item in thoughts]
        data = {"colour": place.colour, "thoughts": [view.data() for view in views]}
        _component(data=data, key=f"thoughts-{place.key}")
        # What is said of a single thought stands beside it.
        method_note(artefact.model_copy(update={"note": ""}))
