"""Works that a page waits for while it goes on."""

from __future__ import annotations

import time
from threading import Event

from streamlit.testing.v1 import AppTest

from tests.app.drawings import BETWEEN
from tests.app.pages import said

SLOW = Event()
"""Set when what two works of a page wait for is there."""


def _two_works() -> None:
    import streamlit as st

    from core.ui.knowledge.work import awaited
    from tests.app.test_waits import SLOW

    for name in ("filters", "numbers"):
        if awaited(name, 1, SLOW.wait, f"Reading the {name}"):
            st.write(f"The {name} are there.")


def test_two_works_are_waited_for_at_once() -> None:
    page = AppTest.from_function(_two_works, default_timeout=60).run()
    assert not page.exception
    assert ["Reading the filters" in said(page), "Reading the numbers" in said(page)] == [True, True]
    SLOW.set()
    while len(page.markdown) < 2 or "Reading" in said(page):  # either may be there first
        time.sleep(BETWEEN)
        page.run()
    assert not page.exception
    assert [line.value for line in page.markdown] == ["The filters are there.", "The numbers are there."]
