"""What the card of hypothetical passages has on the page alone: a switch that compares by embeddings too."""

from __future__ import annotations

import streamlit as st

from core.cards.kind import Scene
from core.cards.kinds.hypothetical import Cosines, card, rankings_of
from core.cards.parts import Card
from core.cards.stars import starred_parts
from core.cards.support import sources
from core.errors import LoupeError
from core.skills.sentences import sentences
from core.trace.artefacts import HypotheticalDocuments, Ranking
from core.ui.cards.parts import draw_parts, frame
from core.ui.run.cosines import cosines
from core.ui.shell.safe import literal


@st.fragment
def draw_hypothetical(artefact: HypotheticalDocuments, plain: Card, scene: Scene, key: str) -> None:
    """The passages, what they found, and what that changed; `plain` is their card with words in common alone."""
    found, _ = rankings_of(artefact, scene.record.find(Ranking))
    with frame(plain, key):
        if not found or not artefact.texts:
            draw_parts(plain.parts, key)
            return
        by_vectors = st.toggle(
            "Compare by embeddings too",
            key=f"hyde-vectors-{key}",
            help="Embeds every sentence on both sides, here and now; no model is asked.",
        )
        likeness = _cosines(artefact, found) if by_vectors else None
        draw_parts(starred_parts(card(artefact, scene, likeness).parts, scene.stars), key)


def _cosines(artefact: HypotheticalDocuments, found: Ranking) -> Cosines | None:
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
