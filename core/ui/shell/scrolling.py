"""A click that opens something elsewhere on the page scrolls to it."""

from __future__ import annotations

from itertools import count

import streamlit as st

from core.ui.shell.assets import component

_WANTED = "scroll-to-"
_clicks = count(1)


def scroll_to(place: str) -> None:
    """Have the browser scroll to a place, by the name given to `scroll_place`, once it is drawn; also a callback."""
    st.session_state[_WANTED + place] = next(_clicks)


def scroll_place(place: str) -> None:
    """Mark the place right above what a click opens; it takes no room, and the browser goes there once a click.

    Something that is in sight already is left where it is. Where the click took away what had the focus, the keyboard
    goes on from this place.
    """
    if click := st.session_state.get(_WANTED + place):
        component("scroll")(data={"click": click}, key=f"scroll-place-{place}", height=1)
