"""Where a run is to stop, chosen with its question."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.strategies.base import AnyStrategy
from core.trace.events import EACH_STEP

STOP = "stop-before"
"""Key of the choice; the same for all strategies, so that who goes step by step does so with the next one, too."""
NEVER = ""
HELP = (
    "The run waits there: look, guess what will come, change what was made, and let it go on when you like, even after "
    "a restart."
)


def stop_form(strategy: AnyStrategy, params: dict[str, Any]) -> None:
    """The choice: never, before each step, or before one of the strategy's steps."""
    steps = strategy.diagram(params).steps
    names = {NEVER: "Nothing", EACH_STEP: "Each step", **steps}
    if st.session_state.get(STOP) not in names:
        st.session_state[STOP] = NEVER
    st.selectbox(
        "Stop before",
        list(names),
        format_func=names.__getitem__,
        key=STOP,
        persist_state="session",
        help=HELP,
    )


def stop_set(strategy: AnyStrategy, params: dict[str, Any]) -> str:
    """What was chosen, as of `RunStarted`; nothing where this strategy has no such step."""
    chosen = str(st.session_state.get(STOP) or NEVER)
    if chosen in (NEVER, EACH_STEP) or chosen in strategy.diagram(params).steps:
        return chosen
    return NEVER


def stop_said(strategy: AnyStrategy, params: dict[str, Any], chosen: str) -> str:
    """The choice in words, to follow on what a run will cost; empty: it stops nowhere."""
    if chosen == NEVER:
        return ""
    return f"stops before {'each step' if chosen == EACH_STEP else f'“{strategy.diagram(params).steps[chosen]}”'}"
