"""How hypothetical passages are drawn: beside what they found, with what supports them marked."""

from __future__ import annotations

import streamlit as st

from core.cards.aids import AIDS
from core.cards.hyde import Cosines, PassagesView, passages_view, rankings_of
from core.cards.support import sources
from core.errors import LoupeError
from core.skills.sentences import sentences
from core.trace.artefacts import Passages, Ranking
from core.ui.cards.moves import draw_moves
from core.ui.cards.passages import passages
from core.ui.cards.place import Place, method_note
from core.ui.cards.support import draw_support
from core.ui.run.cosines import cosines
from core.ui.shell.safe import literal
from core.ui.shell.theme import card, reading_aid


@st.fragment
def draw_passages(artefact: Passages, place: Place) -> None:
    """The passages, what they found, and what that changed."""
    found, beside = rankings_of(artefact, place.rankings)
    with card("passages", place.key, subtitle=_subtitle(artefact), seconds=place.seconds):
        by_vectors = bool(found and artefact.texts) and bool(
            st.session_state.get(f"hyde-vectors-{place.key}")
        )
        likeness = _cosines(artefact, found) if by_vectors and found else None
        view = passages_view(artefact, found, beside, likeness)
        if view.texts:
            _written(view, place)
        method_note(artefact)
        if view.texts and view.moves:
            st.markdown("**What it changed**")
            st.caption(literal(view.moves.summary))
            draw_moves(view.moves, f"hyde-moves-{place.key}", colour=place.colour)
            reading_aid(AIDS["moves"])


def _subtitle(artefact: Passages) -> str:
    count = len(artefact.texts)
    return f"{count or 'no'} {'passage' if count == 1 else 'passages'}, {artefact.style}"


def _written(view: PassagesView, place: Place) -> None:
    with st.grid(2, min_column_width=300, gap="small"):
        with st.container(gap="small"):
            st.markdown("**Written by the model**, perhaps false")
            draw_support(view.written, f"hyde-support-{place.key}")
        with st.container(gap="small"):
            st.markdown("**Found: real passages**")
            if view.found:
                passages(view.found, f"hyde-found-{place.key}", compact=True)
            else:
                st.caption("Not searched yet.")
    st.caption(f"Searched with {literal(view.searched_with)}.")
    if view.summary:
        st.toggle(
            "Compare by embeddings too",
            key=f"hyde-vectors-{place.key}",
            help="Embeds every sentence on both sides, here and now; no model is asked.",
        )
        st.markdown(f":material/rule: {literal(view.summary)} :gray[:small[({view.method}, not proof)]]")
        reading_aid(AIDS["support"])


def _cosines(artefact: Passages, found: Ranking) -> Cosines | None:
    """Of every sentence that was written with every sentence that was found; None where they cannot be had."""
    pool = tuple(source.text for source in sources([hit.passage for hit in found.used]))
    texts = tuple(tuple(sentences(text)) for text in artefact.texts)
    if not pool or not any(texts):
        return None
    try:
        rows = cosines(tuple(sentence for text in texts for sentence in text), pool)
    except LoupeError as error:
        st.caption(f":material/error: {literal(str(error))}")
        return None
    made: list[list[list[float]]] = []
    for text in texts:
        made.append(rows[: len(text)])
        rows = rows[len(text) :]
    return made
