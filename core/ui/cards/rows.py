"""The steps of a run as cards, one below the other; those of one layer side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.cards.groups import Row, Shown
from core.cards.kind import Scene
from core.cards.parts import Card
from core.ui.cards.fusion import draw_fusion
from core.ui.cards.hypothetical import draw_hypothetical
from core.ui.cards.parts import draw_card
from core.ui.run.edit import edit_cards

ON_THE_PAGE: dict[str, Callable[[Any, Card, Scene, str], None]] = {
    "fusion": draw_fusion,
    "passages": draw_hypothetical,
}
"""Kinds whose card has something to move on the page."""


def draw_row(row: Row, scene: Scene, editing: str) -> None:
    """Cards of one group, each with a way to edit what a later step reads; `editing` as `run` of `edit_cards`."""
    if not row.beside:
        for shown in row.shown:
            _draw(shown, scene, editing)
        return
    with st.grid(2, min_column_width=300, gap="small"):
        for shown in row.shown:
            _draw(shown, scene, editing)


def _draw(shown: Shown, scene: Scene, editing: str) -> None:
    own = ON_THE_PAGE.get(shown.card.kind)
    if own:
        own(shown.items[0].artefact, shown.card, scene, shown.key)
    else:
        draw_card(shown.card, shown.key)
    edit_cards([(item.step.id, item.artefact) for item in shown.items], editing, shown.key)
