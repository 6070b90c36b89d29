"""What the fusion card has on the page alone: sliders that fuse the same rankings again at once."""

from __future__ import annotations

import streamlit as st

from core.cards.kind import Scene, provenance
from core.cards.kinds.fusion import fusion_parts
from core.cards.parts import Card
from core.cards.stars import starred_parts
from core.retrieval.fusion import fuse_again
from core.trace.artefacts import Fusion
from core.ui.cards.parts import draw_parts, frame


@st.fragment
def draw_fusion(made: Fusion, card: Card, scene: Scene, key: str) -> None:
    """k and first rank, picture and table. Moving one redraws this card alone; no model is asked."""
    with frame(card, key):
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        k = left.slider(
            "RRF constant k",
            1,
            200,
            max(1, made.k),
            key=f"rrf-k-{key}",
            help="In 1 / (k + rank): the larger k, the less it matters to be first in a list.",
        )
        first = right.segmented_control(
            "Rank of the top hit",
            [1, 0],
            default=made.first_rank,
            required=True,
            key=f"rrf-first-{key}",
            help="Cormack et al. count from 1, the tutorial's code from 0.",
        )
        changed = k != max(1, made.k) or first != made.first_rank
        shown = fuse_again(made, k=k, first_rank=0 if first == 0 else 1) if changed else made
        parts = starred_parts(fusion_parts(shown, made if changed else None, scene.colour), scene.stars)
        draw_parts((*parts, *provenance(made)), key)
