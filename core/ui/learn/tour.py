"""The tour of a lesson: a recorded run told sentence by sentence, on the page but in a document of its own."""

from __future__ import annotations

import base64
from functools import lru_cache

import streamlit as st

from core.report.tour import strategy_tour
from core.strategies.base import AnyStrategy
from core.strategies.tours import tour
from core.ui.shell.safe import literal

HEIGHT = 760
"""Pixels, until the page's own style has it follow the window."""


def draw_tour(strategy: AnyStrategy) -> None:
    """A fold that draws the tour once it is opened; nothing for a strategy without one."""
    found = tour(strategy.key)
    if found is None:
        return
    st.markdown("### Tour of a run")
    st.markdown(
        f"A recorded run of {literal(strategy.title)} in {len(found.stops)} sentences: what plain retrieval would "
        "have done, why each step follows, what it cost."
    )
    # Streamlit forgets that it was opened once the page is left: a tour takes the keys when it appears.
    fold = st.expander("Take the tour", icon=":material/tour:", key=f"tour-{strategy.key}", on_change="rerun")
    if fold.open:
        fold.iframe(
            _address(strategy.key, st.context.theme.type or ""),
            height=HEIGHT,
            alt=f"Tour of a run of {strategy.title}",
        )


@lru_cache(maxsize=8)
def _address(key: str, theme: str) -> str:
    """The tour's page as an address.

    A page that lies in its address has an origin that nobody shares: the browser keeps it from this page, its cookies
    and its storage, which a page handed to `st.iframe` as text can reach; its own policy keeps it from everything else.
    """
    page = base64.b64encode(strategy_tour(key, theme).encode()).decode()
    return f"data:text/html;charset=utf-8;base64,{page}"
