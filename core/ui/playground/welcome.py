"""The first visit: what this is, told by a run that is played once, and three doors."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

import streamlit as st

from core.cards.welcome import welcome
from core.errors import LoupeError
from core.runs.gallery import PIECES, read
from core.runs.record import record
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.shell import address, session
from core.ui.shell.assets import drawing
from core.ui.shell.navigation import leave_for

DOORS = {"learn": "pages/learn.py", "documents": "pages/documents.py"}
_WANTED, _NEW, _THERE = "welcome-wanted", "browser-is-new", "welcome-run-there"


def draw_welcome(bench: Workbench) -> None:
    """Draw it for a browser that has never asked, and where it was asked for."""
    if not st.session_state.get(_WANTED, _is_new(bench)):
        return
    run, data = _played()
    if data is None:
        return
    there = _there(bench, run)
    result = drawing("welcome")(data=data | {"run": there}, key="welcome", on_went_change=_heard)
    if result.went in DOORS:
        leave_for(DOORS[result.went])
    if result.went == "run" and there:
        address.show(address.RUN, run)
        st.rerun()
    if result.went == "hide":
        st.session_state[_WANTED] = False
        st.rerun()


def _there(bench: Workbench, run: str) -> bool:
    """Whether the run is stored: somebody may have deleted it; looked up once a session."""
    if _THERE not in st.session_state:
        st.session_state[_THERE] = False
        with suppress(LoupeError):
            session.gallery(bench)
            st.session_state[_THERE] = bool(bench.store.entry(run))
    return bool(st.session_state[_THERE])


def draw_what_is_this() -> None:
    """A small button that brings it back."""
    if st.button("What is this?", key="what-is-this", type="tertiary", icon=":material/help:"):
        st.session_state[_WANTED] = True
        st.rerun()


def has_asked() -> None:
    """This browser has asked: it is not welcomed again."""
    st.session_state[_NEW] = st.session_state[_WANTED] = False


def _heard() -> None:
    """A click is read from the result; it only has to cause a redraw."""


def _is_new(bench: Workbench) -> bool:
    """Whether no run of this browser is stored; read once a session."""
    if _NEW not in st.session_state:
        me, new = session.owner(), True
        if st.session_state.get("owner-known"):  # else this browser has just got its id
            with suppress(LoupeError):
                new = all(one.owner != me for one in bench.store.list(RunFilter(owners=(me,))))
        st.session_state[_NEW] = new
    return bool(st.session_state[_NEW])


@cache
def _played() -> tuple[str, dict[str, Any] | None]:
    """Id of the run that is played, and what is shown of it; None: the app comes without one."""
    for piece in PIECES:
        alone = strategies().get(piece.requests[0].strategy) if len(piece.requests) == 1 else None
        if alone and alone.merges == "fused" and piece.file.exists():  # the first of the gallery
            _, (events,) = read(piece)
            return piece.id, welcome(record(events))
    return "", None
