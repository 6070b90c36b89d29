"""The choice of a strategy: tiles by families. The key of the chosen one is in the session under `strategy`."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import streamlit as st

from core.errors import InputError
from core.skills import methods_in_force
from core.skills.base import CAPABLE, ModelKind
from core.strategies import strategies
from core.strategies.base import BASELINE, AnyStrategy
from core.strategies.families import by_family
from core.ui.shell.assets import drawing
from core.wording import counted

STRATEGY = "strategy"
"""Key of the choice in the session; tests, links and forms that lead to the page set it."""
_PICKER = "strategy-picker"
MANY = 3
"""Model calls up to which a strategy has two dots of three."""


def picker(kind: ModelKind, recorded: Collection[str] = ()) -> AnyStrategy:
    """Draw the tiles, and return the chosen strategy.

    `kind` of the model that answers decides the cost of each; those that are recorded for the question, by their keys,
    are marked.
    """
    strategy = chosen_strategy()
    with st.container(key=STRATEGY):
        drawing("picker")(
            data=picker_data(kind) | {"chosen": strategy.key, "recorded": sorted(recorded)},
            key=_PICKER,
            on_chosen_change=_take,
        )
    return strategy


def chosen_strategy() -> AnyStrategy:
    """Return the chosen strategy, the baseline at first."""
    known = strategies()
    if st.session_state.get(STRATEGY) not in known:
        st.session_state[STRATEGY] = BASELINE
    return known[str(st.session_state[STRATEGY])]


@lru_cache(maxsize=8)
def picker_data(kind: ModelKind) -> dict[str, Any]:
    """Return families with their strategies as plain values, which nobody may change; all text is our own."""
    return {
        "families": [
            {
                "key": family.key,
                "title": family.title,
                "idea": family.idea,
                "strategies": [
                    {name: getattr(strategy, name) for name in ("key", "title", "idea", "colour")}
                    | _cost(strategy, kind)
                    for strategy in members
                ],
            }
            for family, members in by_family(strategies().values()).items()
        ]
    }


def _cost(strategy: AnyStrategy, kind: ModelKind) -> dict[str, Any]:
    """Return the cost of a strategy with its defaults: as 0 to 3 dots, and in words."""
    try:
        methods = methods_in_force(strategy.skills, kind, {})
    except InputError:  # this model cannot do it: what one that can needs
        methods = methods_in_force(strategy.skills, CAPABLE, {})
    calls = strategy.forecast(strategy.params(), methods).calls_expected
    level = calls if calls < 2 else 2 if calls <= MANY else 3
    return {"level": level, "cost": f"about {counted(calls, 'model call')}" if calls else "no model call"}


def _take() -> None:
    """Take over the choice of the browser, if it is one, before the page is drawn."""
    chosen = getattr(st.session_state.get(_PICKER), "chosen", None)
    if chosen in strategies():
        st.session_state[STRATEGY] = chosen
