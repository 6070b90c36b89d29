"""How the exploration of a knowledge graph is drawn: plan, candidates, and the way with its verdict."""

from __future__ import annotations

import streamlit as st

from core.cards.aids import AIDS
from core.cards.exploration import candidates_view, path_view, plan_view
from core.trace.artefacts import Candidates, Path, Plan
from core.ui.cards.place import Place, method_note
from core.ui.shell.assets import asset, script
from core.ui.shell.safe import literal
from core.ui.shell.theme import card, reading_aid

_component = st.components.v2.component(
    "rag_loupe.exploration",
    html='<div class="root"></div>',
    css=asset("exploration.css"),
    js=script("exploration.js"),
)


def draw_plan(artefact: Plan, place: Place) -> None:
    """The steps, numbered."""
    view = plan_view(artefact)
    with card("plan", place.key, subtitle=view.title, seconds=place.seconds):
        if view.cause:
            st.markdown(f":material/restart_alt: The plan before was given up: {literal(view.cause)}")
        lines = [
            f"{number}. **{literal(what)}** {literal(text)}"
            for number, (what, text) in enumerate(view.steps, 1)
        ]
        st.markdown("\n".join(lines))
        method_note(artefact)


def draw_candidates(artefact: Candidates, place: Place) -> None:
    """What the step had to choose from; what was chosen is lit."""
    view = candidates_view(artefact)
    with card("candidates", place.key, subtitle=f"{view.title} · {view.text}", seconds=place.seconds):
        if not view.lines:
            st.caption("There was nothing to choose from.")
        else:
            reading_aid(AIDS["candidates"].format(score=literal(view.score_name)))
            _component(
                data={"what": "candidates", "colour": place.colour, **view.data()},
                key=f"candidates-{place.key}",
            )
        if view.left_out:
            st.caption(f"{view.left_out:,} more with lower scores were not offered.")
        if view.cypher:
            with st.expander("The query that followed the first of them", key=f"cypher-{place.key}"):
                st.code(view.cypher, language=None)
        method_note(artefact)


def draw_path(artefact: Path, place: Place) -> None:
    """The triples of the way, hop by hop, and what is made of it."""
    view = path_view(artefact)
    subtitle = f"{len(view.hops)} hops" if len(view.hops) != 1 else "1 hop"
    with card("path", place.key, subtitle=subtitle, seconds=place.seconds):
        _component(data={"what": "path", "colour": place.colour, **view.data()}, key=f"path-{place.key}")
        if view.failed:
            tries = "1 plan has" if view.failed == 1 else f"{view.failed} plans have"
            st.caption(f":material/restart_alt: {tries} failed so far.")
        method_note(artefact)
