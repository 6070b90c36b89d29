"""Dialogs that stay open while the page behind them redraws itself."""

from __future__ import annotations

import streamlit as st

_OPEN = "open-dialog"


def is_open(name: str, asked: bool) -> bool:
    """Whether this dialog is to be drawn; Streamlit drops one that the next run of the page does not draw again.

    The page runs by itself when a model becomes ready or a job ends, and what somebody types must outlive that.

    Args:
        name: Unique among the dialogs of a session.
        asked: Whether its button was pressed just now.
    """
    if asked:
        open_next(name)
    return bool(st.session_state.get(_OPEN) == name)


def open_next(name: str) -> None:
    """It is to be drawn from now on; also a callback."""
    st.session_state[_OPEN] = name


def closed() -> None:
    """It was dismissed, or has done its work."""
    st.session_state.pop(_OPEN, None)
