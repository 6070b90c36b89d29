"""How the decisions of an agentic run are drawn: one tree for the whole run."""

from __future__ import annotations

import streamlit as st

from core.cards.agentic import tree_view
from core.cards.aids import AIDS
from core.trace.artefacts import Critique, ToolCall
from core.ui.cards.place import Place, method_note
from core.ui.shell.assets import asset, script
from core.ui.shell.theme import card, reading_aid

_component = st.components.v2.component(
    "rag_loupe.tool_calls",
    html='<div class="root"></div>',
    css=asset("tool_calls.css"),
    js=script("tool_calls.js"),
)


def draw_decisions(artefact: ToolCall | Critique, place: Place) -> None:
    """All tool calls and critiques of the run in one card, at the place of the first."""
    record = place.record
    calls = record.find(ToolCall) if record else [a for a in (artefact,) if isinstance(a, ToolCall)]
    critiques = record.find(Critique) if record else [a for a in (artefact,) if isinstance(a, Critique)]
    tree = tree_view(calls, critiques, record.answer if record else place.answer)
    with card(artefact.kind, place.key, subtitle=tree.summary):
        reading_aid(AIDS["decisions"])
        _component(data={"colour": place.colour, **tree.data()}, key=f"decisions-{place.key}")
        # What is said of a single call stands beside it.
        method_note(artefact.model_copy(update={"note": ""}))
