"""Files that lie beside the modules of this package, and the drawings that it shares with reports."""

from __future__ import annotations

from functools import cache
from importlib import resources

from core.views.drawings import source


@cache
def asset(name: str) -> str:
    """Text of a file of this package, or of a drawing that reports use too."""
    own = resources.files("core.ui") / name
    return own.read_text(encoding="utf-8") if own.is_file() else source(name)


def script(*names: str) -> str:
    """The script of a drawing, after the pieces that all drawings share; only what it was called with last is drawn."""
    drawn = "".join(asset(name) for name in ("parts.js", *names))
    return drawn.replace("export default function", "const draw = function") + asset("last_call.js")
