"""What our own drawings on a page were given, and clicks in them, under AppTest."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.ui.run import network
from tests.app.pages import said
from tests.patience import Patience

BETWEEN = 0.2
"""Seconds from one look at what is under way to the next: a drawing takes from what it waits for."""


def components(page: AppTest) -> list[dict[str, Any]]:
    """Data of our own components, which put it on the page as text."""
    found: Any = page.get("bidi_component")
    return [json.loads(one.proto.json) for one in found if one.proto.json]


def drawings(page: AppTest, name: str) -> list[dict[str, Any]]:
    """Data of the components that were given something of this name, as they stand on the page."""
    return [data for data in components(page) if name in data]


def still(page: AppTest) -> AppTest:
    """The page when nothing on it draws itself again and again any more."""
    patience = Patience()
    while drawings(page, "patience"):
        patience.ask("Something on the page is still under way.")
        time.sleep(BETWEEN)
        page.run()
    assert not page.exception
    return page


def until(page: AppTest, *words: str) -> AppTest:
    """Draw the page until it says all of this."""
    patience = Patience()
    while not all(one in (seen := shown(page)) for one in words):
        patience.ask(f"The page does not say {words}: {seen}")
        time.sleep(BETWEEN)
        page.run()
        assert not page.exception
    return page


def shown(page: AppTest) -> str:
    """What the page says in words, titles of messages and texts of bars among them."""
    boxes: Any = [*page.error, *page.warning, *page.info, *page.success]
    bars: Any = page.get("progress")
    titles = [box.proto.title for box in boxes]
    return "\n".join([said(page), *titles, *(bar.proto.text for bar in bars)]).replace("\\", "")


def keys(page: AppTest) -> set[str]:
    """Of the buttons on the page."""
    return {button.key for button in page.button if button.key}


class Clicks:
    """Clicks in the drawing of a graph, as the browser reports them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._due: list[dict[str, str]] = []
        heard, rerun = network.clicked_in, st.rerun
        patch.setattr(
            network, "clicked_in", lambda value, drawn: heard(self._due.pop() if self._due else value, drawn)
        )
        patch.setattr(st, "rerun", lambda *, scope="app": rerun())  # a part alone cannot be drawn here

    def on(self, page: AppTest, what: str, key: str) -> AppTest:
        """Click on a node or an edge."""
        self._due.append({"what": what, "key": key})
        return still(page.run())
