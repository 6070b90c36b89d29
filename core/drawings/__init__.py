"""Drawings of our own, as CSS and JavaScript: the page and a report draw with the same ones.

Each script is a module whose default export takes plain data and the element to draw in, and puts text there
without interpreting it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

STYLES = {
    "goals": ("picture", "goals"),
    "links": ("picture", "links"),
    "playback": ("network", "playback"),
    "pool": ("picture", "pool"),
    "turns": ("picture", "turns"),
    "ways": ("picture", "ways"),
}
"""Styles of the drawings that do not simply have one of their own name."""
PIECES = {
    "fusion_flow": ("picture",),
    "goals": ("picture",),
    "links": ("picture",),
    "network": ("graph",),
    "picker": ("pictograms",),
    "playback": ("graph",),
    "pool": ("picture",),
    "presenter": ("votes",),
    "turns": ("picture",),
    "ways": ("picture",),
}
"""Scripts that some drawings share; they come before the drawing's own."""


@dataclass(frozen=True)
class Drawing:
    """A drawing without the pieces that all of them share (`parts.js`)."""

    css: str
    js: str


@cache
def source(name: str) -> str:
    """Text of one of the files.

    Raises:
        FileNotFoundError: There is none of that name.
    """
    return (resources.files(__name__) / name).read_text(encoding="utf-8")


def drawing(name: str) -> Drawing:
    """The drawing of that name, e.g. `grid`; rules of style are a file of its own, where it has any."""
    folder = resources.files(__name__)
    styles = [f"{style}.css" for style in STYLES.get(name, (name,))]
    css = "".join(source(style) for style in styles if (folder / style).is_file())
    return Drawing(css, "".join(source(f"{script}.js") for script in (*PIECES.get(name, ()), name)))
