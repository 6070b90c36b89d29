"""The first visit: a run that is played, and doors; not for who has asked."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.ui.playground import welcome
from tests.app.drawings import drawings, keys, still
from tests.app.opening import opened
from tests.app.pages import APP, app, drawn_when_done


def welcomed(page: AppTest) -> bool:
    return bool(drawings(page, "scenes"))


def test_a_new_browser_is_welcomed_until_it_asks(ready: Workbench) -> None:
    page = still(app(owner="a" * 32))
    assert welcomed(page)
    assert "what-is-this" in keys(page)
    page.text_area(key="question").set_value("Who founded the Pellamar Ferry Company?")
    page.button(key="ask").click().run()
    drawn_when_done(page, ready)
    assert not welcomed(page)
    assert not welcomed(
        still(page.switch_page("pages/learn.py").run().switch_page("pages/playground.py").run())
    )


def test_it_can_be_hidden_and_brought_back(ready: Workbench) -> None:
    page = app()
    page.session_state["welcome-wanted"] = False
    assert not welcomed(still(page.run()))
    assert welcomed(still(page.button(key="what-is-this").click().run()))


def test_a_browser_that_has_asked_before_is_not_welcomed(ready: Workbench) -> None:
    mine = ready.launcher.start(RunRequest("Who?", "closed-book", owner="b" * 32))
    mine.result(60)
    for owner, new in (("b" * 32, False), ("c" * 32, True)):
        page = AppTest.from_file(str(APP), default_timeout=60)
        page.session_state["owner"], page.session_state["owner-known"] = owner, True
        page.run()
        assert welcomed(page) is new


def test_a_run_in_the_address_is_what_the_page_shows(ready: Workbench) -> None:
    page = opened("pages/playground.py", run=welcome._played()[0])
    assert not welcomed(page)
    assert not drawings(page, "starters")


@pytest.mark.parametrize(("went", "page"), list(welcome.DOORS.items()))
def test_a_door_leads_to_a_page_of_the_app(went: str, page: str) -> None:
    assert (APP.parent / page).is_file(), went
