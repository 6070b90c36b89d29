"""Which step of a run was opened on its stage, by a click anywhere on the page."""

from __future__ import annotations

import streamlit as st

_OPENED = "stage-"


def opened(run: str) -> str | None:
    """Key of the entry; empty: what was open was closed; None: nothing was chosen, so the stage follows the run."""
    found: str | None = st.session_state.get(_OPENED + run)
    return found


def open_entry(run: str, entry: str) -> None:
    """Open this one, with the next redraw; empty: none."""
    st.session_state[_OPENED + run] = entry


def follow(run: str) -> None:
    """Forget what was chosen: the stage shows the newest step again, and at the end what tells most."""
    st.session_state.pop(_OPENED + run, None)
