"""The first page of a process goes before what runs will need: importing that would hold up its drawing."""

from __future__ import annotations

import threading

PATIENCE_SECONDS = 20.0
"""When a first page that was not drawn to its end, because it failed or was left, is waited for no longer."""
_drawn = threading.Event()


def drawn() -> None:
    """A page is drawn."""
    _drawn.set()


def wait() -> None:
    """Wait until a page is drawn."""
    _drawn.wait(PATIENCE_SECONDS)
