"""How things look: a few rules of CSS, and the sentence that tells how to read a drawing."""

from __future__ import annotations

import streamlit as st

from core.ui.shell.assets import asset


def apply() -> None:
    """Put the page's CSS in force; our own text only."""
    st.html(f"<style>{asset('page.css')}</style>")


def reading_aid(text: str) -> None:
    """One sentence that tells how to read a chart or a table; our own text."""
    st.caption(f":material/lightbulb: {text}")
