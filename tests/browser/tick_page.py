"""A page one part of which draws itself again and again. `?watch=1`: as the app does that; else as Streamlit is."""

from __future__ import annotations

import streamlit as st

from core.ui.fixes.ticking import ticking, watch_ticks

SECONDS = 0.2


def part() -> None:
    """What is drawn again and again."""
    drawn = st.session_state["ticks"] = st.session_state.get("ticks", 0) + 1
    st.write(f"Drawn {drawn} times")


def page() -> None:
    """Draw it."""
    if "watch" in st.query_params:
        watch_ticks()
        ticking(SECONDS)(part)()
    else:
        st.fragment(part, run_every=SECONDS)()
