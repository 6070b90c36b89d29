"""Ways on from a run, wherever a page shows one."""

from __future__ import annotations

import streamlit as st

from core.ui.shell import address


def compare_link(run: str) -> None:
    """To the page Compare, which takes over what the run was asked; `run` is its id."""
    st.page_link(
        "pages/compare.py",
        label="Compare with other strategies",
        icon=":material/compare:",
        query_params={address.LIKE: run},
        help="Puts the same question through several strategies, side by side.",
    )
