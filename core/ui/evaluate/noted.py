"""Errors that are noted where they occur and drawn with the next redraw, so that everything typed stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import LoupeError
from core.ui.shell.safe import literal

_ERROR = "evaluate-error"


@contextmanager
def noted() -> Iterator[None]:
    """Note the sentence of an expected error."""
    try:
        yield
    except LoupeError as error:
        note(str(error))


def note(error: str) -> None:
    """Note a sentence; an empty one says nothing."""
    st.session_state[_ERROR] = error


def draw_noted() -> None:
    """Draw what was noted, once."""
    if error := st.session_state.pop(_ERROR, ""):
        st.error(literal(error), icon=":material/error:")
