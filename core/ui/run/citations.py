"""The open step of a run, and the chosen citation: its passage is opened and scrolled to, on this page alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import streamlit as st

from core.cards.stage import PASSAGES
from core.ui.shell.assets import drawing

_OPENED = "stage-"


def opened(run: str) -> str | None:
    """Key of the entry; empty: what was open was closed; None: nothing was chosen, so the stage follows the run."""
    found: str | None = st.session_state.get(_OPENED + run)
    return found


def open_entry(run: str, entry: str) -> None:
    """Open this one, with the next redraw; empty: none."""
    st.session_state[_OPENED + run] = entry


def follow(run: str) -> None:
    """Forget what was chosen: the stage shows the newest step again, and at the end what tells most."""
    st.session_state.pop(_OPENED + run, None)


_drawn = count()
_CHOSEN = "citation-"
_SCENE = "cited-at-"


def chosen(key: str) -> tuple[str | None, int]:
    """The chunk that is to be open, None where none was chosen; and how often one was, which tells a second choice of
    the same one.

    Args:
        key: Of the run's drawing.
    """
    found: tuple[str | None, int] = st.session_state.get(_CHOSEN + key, (None, 0))
    return found


def choose(key: str, chunk: str) -> None:
    """Open a passage with the next redraw; arguments as for `chosen`."""
    st.session_state[_CHOSEN + key] = (chunk, chosen(key)[1] + 1)
    open_entry(key, PASSAGES)


def follow_links(run: str, act: Callable[[str], None]) -> None:
    """Have a click on a link of `core.ui.shell.safe.opening` in the drawing of a run call `act` with what it opens; a
    browser may report anything."""
    key = f"leads-{run}"

    def chosen() -> None:
        if isinstance(what := st.session_state[key].get("link"), str):
            act(what)

    # With other data each time: else the browser would go on telling the part of the page that drew it first.
    drawing("leads")(data={"drawn": next(_drawn)}, key=key, on_link_change=chosen)


def close(key: str) -> None:
    """Forget the choice: wherever the run is drawn next, the page must not scroll away."""
    if chosen(key)[0] is not None:
        # The count goes on, so that a drawing that is still there takes the next choice for a new one.
        st.session_state[_CHOSEN + key] = (None, chosen(key)[1])


def close_when_moved(key: str, scene: int) -> bool:
    """Forget the choice when the drawing goes on to another scene of the run, and say so; arguments as for `chosen`."""
    moved = bool(st.session_state.get(_SCENE + key) != scene)
    if moved:
        st.session_state[_SCENE + key] = scene
        close(key)
    return moved


def close_all() -> None:
    """Forget those of all runs."""
    for name in list(st.session_state):
        if str(name).startswith(_CHOSEN):
            close(str(name).removeprefix(_CHOSEN))
