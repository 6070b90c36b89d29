"""Draws passage cards with a component of our own, which puts text on the page without interpreting it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.passages import PassageCard
from core.ui.shell.assets import asset, script

_component = st.components.v2.component(
    "rag_loupe.passages",
    html='<div class="root"></div>',
    css=asset("passages.css"),
    js=script("passages.js"),
)


def passages(
    cards: Sequence[PassageCard],
    key: str,
    *,
    compact: bool = False,
    fold: int = 0,
    opened: str | None = None,
    asked: int = 0,
) -> None:
    """Passages below one another: three lines each, the rest on a click.

    Args:
        cards: What to show.
        key: Unique on the page and stable between redraws.
        compact: Show the text only on a click; for many rankings side by side.
        fold: Show only so many until asked for the rest; 0: all of them.
        opened: Chunk to open and scroll to.
        asked: Changes each time a chunk is asked for, so that the same one can be asked for twice.
    """
    data = {
        "cards": [card.data() for card in cards],
        "compact": compact,
        "fold": fold,
        "open": opened or "",
        "asked": asked,
    }
    _component(data=data, key=key)
