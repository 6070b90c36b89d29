"""Parts of a page that draw themselves again and again, and what helps them when a tick was lost.

Fault (Streamlit 1.67): the order to tick on is sent once, and where it is lost on its way the page stays half drawn
until somebody clicks. So each tick leaves a sign of life in the browser (`beat.js`), and where that is missing for
too long, the whole page is drawn again (`watchdog.js`, which also loads a page again that Streamlit's scripts took
away).
Needed as long as tests/browser/test_ticking.py::test_streamlit_itself_never_asks_again passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import ParamSpec

import streamlit as st

from core.ui.shell.assets import component, redraw

P = ParamSpec("P")

PATIENCE_SECONDS = 6.0
PATIENCE_TICKS = 15
"""How long a sign of life may be missing: the longer of both."""

_places = count()
"""Tells drawings by one function from one another: a page may wait for two works at once."""


def ticking(seconds: float | None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Makes a drawing a fragment that is drawn again after so many seconds, and again; None: it is drawn once.

    The drawing ends its ticks by having the page drawn without it.
    """

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @wraps(draw)
        def drawn(place: int, *args: P.args, **kwargs: P.kwargs) -> None:
            draw(*args, **kwargs)
            if seconds is not None:
                name = f"{draw.__qualname__.replace('.', '-').replace('<locals>', '')}-{place}"
                patience = max(PATIENCE_SECONDS, PATIENCE_TICKS * seconds)
                # The time makes each tick's data another than the last one's, so that the browser hears of it.
                # It stands last: what is drawn keeps its place when the ticks end.
                data = {"now": time.monotonic(), "name": name, "patience": patience}
                component("beat")(data=data, key=f"beat-{name}")

        fragment = st.fragment(drawn, run_every=seconds)

        @wraps(draw)
        def ticks(*args: P.args, **kwargs: P.kwargs) -> None:
            # Streamlit keeps what a fragment was called with, so all its ticks have the same place.
            fragment(next(_places), *args, **kwargs)

        return ticks

    return decorate


def watch_ticks() -> None:
    """On every page once, outside of what ticks: has the page drawn again when ticks are missing."""
    component("watchdog")(key="watchdog", on_late_change=redraw)
