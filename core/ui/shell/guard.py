"""Expected errors while a page is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import LoupeError
from core.ui.shell.safe import literal


@contextmanager
def errors_shown() -> Iterator[None]:
    """Say an expected error where the drawing ends; everything else, Streamlit's own signals too, goes on."""
    try:
        yield
    except LoupeError as error:
        st.error(literal(str(error)), icon=":material/error:")
