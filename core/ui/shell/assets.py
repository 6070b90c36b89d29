"""Files that lie beside the modules of this package, and the drawings that it shares with reports."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import streamlit as st

from core import drawings
from core.drawings import source

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


@cache
def asset(name: str) -> str:
    """Text of a file of this package, or of a drawing that reports use too."""
    for package in ("shell", "fixes"):
        own = resources.files(f"core.ui.{package}") / name
        if own.is_file():
            return own.read_text(encoding="utf-8")
    return source(name)


def script(name: str) -> str:
    """The script of a drawing, after the pieces that all drawings share; only what it was called with last is drawn."""
    drawn = source("parts.js") + drawings.drawing(name).js
    return drawn.replace("export default function", "const draw = function") + asset("last_call.js")


@cache
def drawing(name: str) -> ComponentRenderer:
    """The component that draws with the script and the style of that name in `core.drawings`.

    It is called with plain `data` and a `key`.
    """
    style = drawings.drawing(name).css
    return st.components.v2.component(
        f"rag_loupe.{name}", html='<div class="root"></div>', css=style, js=script(name)
    )


def redraw() -> None:
    """A callback that does nothing: a click is read from the component's result, and only has to cause a redraw."""
