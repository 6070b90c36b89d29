"""Grids of passages by ranked lists, drawn by a component of our own that never interprets text."""

from __future__ import annotations

import streamlit as st

from core.cards.grid import Grid
from core.ui.shell.assets import asset, script
from core.ui.shell.safe import literal

_component = st.components.v2.component(
    "rag_loupe.grid", html='<div class="root"></div>', css=asset("grid.css"), js=script("grid.js")
)


def draw_grid(grid: Grid, key: str, *, colour: str) -> None:
    """A grid whose rows open their passage; rows that change places slide there.

    Args:
        grid: What to show.
        key: Unique on the page and stable between redraws.
        colour: The strategy's, laid under the ranks.
    """
    _component(data=grid.data() | {"colour": colour}, key=f"grid-{key}")
    st.caption("  \n".join(f"**{literal(c.name)}** {literal(c.meaning, 140)}" for c in grid.lists))
