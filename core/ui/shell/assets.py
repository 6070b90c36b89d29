"""Files that lie beside the modules of this package, and the drawings that it shares with reports."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.drawings import FOLDER, drawing_style
from core.drawings.modules import bundle

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


UI = Path(__file__).parents[1]


@cache
def asset(name: str) -> str:
    """Text of a file of this package or of `core.ui.fixes`.

    Raises:
        FileNotFoundError: There is none of that name.
    """
    own = UI / "shell" / name
    return (own if own.is_file() else UI / "fixes" / name).read_text(encoding="utf-8")


def script(name: str) -> str:
    """The script of a drawing as one module; only what it was called with last is drawn."""
    entry = FOLDER / "entry.js"
    last_call = "../ui/fixes/last_call.js"
    text = f'import draw from "./{name}.js"\nimport last from "{last_call}"\nexport default last(draw)\n'
    return bundle(entry, {entry: text})


@cache
def component(name: str, *others: str) -> ComponentRenderer:
    """The component of the script of that name in this package, and of `others`: files with endings such as `css`."""
    files: dict[str, Any] = {ending: asset(f"{name}.{ending}") for ending in ("js", *others)}
    return st.components.v2.component(f"rag_loupe.{name}", **files)


@cache
def drawing(name: str) -> ComponentRenderer:
    """The component that draws with the script and the style of that name in `core.drawings`.

    It is called with plain `data` and a `key`.
    """
    return st.components.v2.component(
        f"rag_loupe.{name}", html='<div class="root"></div>', css=drawing_style(name), js=script(name)
    )


def redraw() -> None:
    """A callback that does nothing: a click is read from the component's result, and only has to cause a redraw."""
