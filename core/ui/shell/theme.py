"""The sentence that tells how to read a drawing."""

from __future__ import annotations

import streamlit as st


def reading_aid(text: str) -> None:
    """One sentence that tells how to read a chart or a table; our own text."""
    st.caption(f":material/lightbulb: {text}")
