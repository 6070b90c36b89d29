"""Drawings of our own, as CSS and JavaScript: the page and a report draw with the same ones.

The script of a drawing is a module whose default export takes plain data and the element to draw in, and puts text
there without interpreting it. A drawing that others have in them exports its style as well, as `css`.
"""

from __future__ import annotations

from pathlib import Path

from core.drawings.modules import style

FOLDER = Path(__file__).parent
EXPLORABLE = "explore_"
"""Drawings whose name begins so are pictures with handles."""


def drawing_style(name: str) -> str:
    """The rules of style of the drawing of that name, e.g. `grid`; empty: it has none."""
    file = FOLDER / f"{name}.css"
    return style(file) if file.is_file() else ""
