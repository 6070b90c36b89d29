"""Charts, and the sentences that tell how to read a chart or a table."""

from __future__ import annotations

import streamlit as st


def draw_chart(figure: object, key: str, alt: str, aid: str) -> None:
    """A Plotly figure and below it the sentence that tells how to read it; our own texts.

    Args:
        alt: What the figure shows, for screen readers.
    """
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)
    reading_aid(aid)


def reading_aid(text: str) -> None:
    """One sentence that tells how to read a chart or a table; our own text."""
    st.caption(f":material/lightbulb: {text}")
