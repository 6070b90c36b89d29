"""Drawings of our own, as CSS and JavaScript: the page and a report draw with the same ones.

Each script is a module whose default export takes plain data and the element to draw in, and puts text there
without interpreting it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

STYLES = {"laps": "grades"}
"""Drawings that look like another one."""


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
    """The drawing of that name, e.g. `grid`."""
    return Drawing(source(f"{STYLES.get(name, name)}.css"), source(f"{name}.js"))
