"""What went wrong in a callback of the form, said where it is drawn next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import LoupeError
from core.ui.shell.safe import literal

_ERROR = "making-error"


@contextmanager
def noted() -> Iterator[None]:
    """Keep the sentence of an expected error for `draw_noted`."""
    try:
        yield
    except LoupeError as error:
        st.session_state[_ERROR] = str(error)


def draw_noted() -> None:
    """Say what was noted, once."""
    if error := st.session_state.pop(_ERROR, ""):
        st.error(literal(error), icon=":material/error:")
