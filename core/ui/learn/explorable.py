"""The picture of a lesson that can be moved: the one of its recorded run, with handles."""

from __future__ import annotations

import streamlit as st

from core.explorables import stored
from core.strategies.lessons import stem
from core.ui.cards.parts import draw_drawing


def draw_explorable(key: str) -> None:
    """The explorable of a lesson; nothing where it has none.

    It keeps its state in the address's fragment: a page that shows it writes no query parameters after loading.
    """
    found = stored(stem(key))
    if found is not None:
        st.markdown("### Move it yourself")
        with st.container(border=True, key=f"explorable-{key}"):
            draw_drawing(found, key)
