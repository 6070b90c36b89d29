"""How things look: icons of the artefact kinds, a few rules of CSS, and the frame all cards share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.cards.kinds import ICONS as KIND_ICONS
from core.cards.kinds import TITLES
from core.ui.shell.assets import asset
from core.ui.shell.safe import literal

ICONS: dict[str, str] = {kind: f":material/{icon}:" for kind, icon in KIND_ICONS.items()}
"""The icon of each artefact kind, as Streamlit's Markdown names it."""


def apply() -> None:
    """Put the page's CSS in force; our own text only."""
    st.html(f"<style>{asset('page.css')}</style>")


@contextmanager
def card(kind: str, key: str, *, subtitle: str = "", seconds: float | None = None) -> Iterator[None]:
    """The frame of an artefact: its icon, its name, what it is about, and how long its step took.

    Args:
        kind: Artefact kind.
        key: Unique on the page and stable between redraws.
        subtitle: Any text; shown literally.
        seconds: Duration of the step; None: not shown.
    """
    with st.container(border=True, key=f"card-{kind}-{key}", gap="small"):
        detail = f" · {literal(subtitle, 160)}" if subtitle else ""
        took = f" :gray[:small[{seconds:.2f} s]]" if seconds is not None else ""
        st.markdown(f"{ICONS[kind]} **{TITLES[kind]}**{detail}{took}")
        yield


def reading_aid(text: str) -> None:
    """One sentence that tells how to read a chart or a table; our own text."""
    st.caption(f":material/lightbulb: {text}")
