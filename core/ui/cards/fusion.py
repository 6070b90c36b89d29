"""The fusion card: the score table, and sliders that fuse the same rankings again at once."""

from __future__ import annotations

import streamlit as st

from core.cards.aids import AIDS
from core.cards.fusion import FIRST, bump_chart, example, fusion_view
from core.retrieval.fusion import refuse
from core.trace.artefacts import Fusion
from core.ui.cards.grid import draw_grid
from core.ui.shell.safe import literal
from core.ui.shell.theme import reading_aid


@st.fragment
def draw_fusion(made: Fusion, key: str, colour: str) -> None:
    """Table, bump chart, k and first rank. Moving one redraws this part alone; no model is asked.

    Args:
        made: The fusion that the run made.
        key: Unique on the page and stable between redraws.
        colour: The strategy's.
    """
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
    shown = refuse(made, k=k, first_rank=0 if first == 0 else 1) if changed else made
    view = fusion_view(shown, made if changed else None)
    _difference(made, view.moves, changed)
    reading_aid(AIDS["fusion"].format(example=example(shown)))
    draw_grid(view.grid, f"fusion-{key}", colour=colour)
    st.plotly_chart(
        bump_chart(shown, made),
        key=f"bump-{key}",
        config={"displayModeBar": False},
        alt="Rank of each passage in every list and after fusion",
    )
    reading_aid(AIDS["bump"].format(first=FIRST))


def _difference(made: Fusion, moves: tuple[str, ...], changed: bool) -> None:
    """One line in reserved space: whether the table is the one the answer was made with."""
    if not changed:
        st.caption(f"The answer was made with k = {made.k}, counting from {made.first_rank}.")
        return
    what = "; ".join(literal(move) for move in moves) or "the order stays the same"
    st.caption(
        ":material/compare_arrows: "
        f"**The answer was made with k = {made.k}, counting from {made.first_rank}.** "
        f"With these values, among the first {FIRST}: {what}."
    )
