"""A button that copies the address of what is on the page."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

from core.ui.shell.assets import asset

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


def copy_link(name: str, value: str, what: str) -> None:
    """Draw it. The browser puts the address together, so it is right behind a proxy too; nothing is sent.

    Args:
        name: Of the query parameter, one of `core.ui.shell.address`.
        value: Id of what is on the page.
        what: For example "run".
    """
    data = {"name": name, "value": value, "what": what}
    _component()(data=data, key=f"copy-link-{value}", width="content")


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "rag_loupe.copy_link",
        html=asset("copy_link.html"),
        css=asset("copy_link.css"),
        js=asset("copy_link.js"),
    )
