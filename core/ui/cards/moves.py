"""Draws two rankings with lines between them, by a component of our own that never interprets text."""

from __future__ import annotations

import streamlit as st

from core.cards.moves import Moves
from core.ui.shell.assets import asset, script

_component = st.components.v2.component(
    "rag_loupe.moves", html='<div class="root"></div>', css=asset("moves.css"), js=script("moves.js")
)


def draw_moves(moves: Moves, key: str, *, colour: str) -> None:
    """Both rankings; a passage opens on a click.

    Args:
        moves: What to show.
        key: Unique on the page and stable between redraws.
        colour: The strategy's, of the lines.
    """
    _component(data=moves.data() | {"colour": colour}, key=key)
