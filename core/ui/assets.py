"""Files that lie beside the modules of this package: CSS and JavaScript of our own."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def asset(name: str) -> str:
    """Text of one of them."""
    return (resources.files("core.ui") / name).read_text(encoding="utf-8")


def script(*names: str) -> str:
    """The script of a drawing, after the pieces that all drawings share."""
    return "".join(asset(name) for name in ("parts.js", *names))
