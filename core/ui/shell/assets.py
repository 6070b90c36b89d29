"""Files that lie beside the modules of this package, and the drawings that it shares with reports."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import streamlit as st

from core import drawings
from core.drawings import source


@cache
def asset(name: str) -> str:
    """Text of a file of this package, or of a drawing that reports use too."""
    for package in ("shell", "fixes", "learn"):
        own = resources.files(f"core.ui.{package}") / name
        if own.is_file():
            return own.read_text(encoding="utf-8")
    return source(name)


def script(*names: str) -> str:
    """The script of a drawing, after the pieces that all drawings share; only what it was called with last is drawn."""
    drawn = "".join(asset(name) for name in ("parts.js", *names))
    return drawn.replace("export default function", "const draw = function") + asset("last_call.js")


@cache
def drawing(name: str) -> Any:
    """The component that draws with a script of `core.drawings`: it is called with plain `data` and a `key`."""
    style = drawings.drawing(name).css
    return st.components.v2.component(
        f"rag_loupe.{name}", html='<div class="root"></div>', css=style, js=script(f"{name}.js")
    )
