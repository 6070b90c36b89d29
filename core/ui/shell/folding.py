"""What is folded is not drawn: it comes when it is opened, so that a page is drawn and sent the faster."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer


def popover(label: str, *, key: str, help: str | None = None, **look: Any) -> PopoverContainer:
    """A popover with `.open`, which says whether to draw what is in it. It stays open when its looks change.

    Args:
        label: May be another one at the next call, as icon and help may.
        key: Of its state in the session.
        help: Said beside it; None: nothing is.
        look: Further arguments of `st.popover`.
    """
    looks = f"{key}-looks"
    now = (label, help, *look.values())
    if st.session_state.get(looks) != now:
        # Streamlit knows a popover by its looks, too: with others it would be a new one, which is closed.
        st.session_state[looks] = now
        st.session_state[key] = bool(st.session_state.get(key))
    return st.popover(label, key=key, help=help, on_change="rerun", **look)


def fold(key: str) -> None:
    """Close a popover with the next drawing of the page; a callback."""
    st.session_state[key] = False
